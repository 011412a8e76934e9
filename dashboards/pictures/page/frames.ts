import {
  type DataFrame,
  type DataTransformerInfo,
  type Field,
  type FieldConfig,
  FieldType,
  type GrafanaTheme2,
  getDisplayProcessor,
  standardTransformers,
  standardTransformersRegistry,
  transformDataFrame,
} from '@grafana/data';
import type { Panel } from '../../../test/support/grafana-dashboard.ts';

const transformers: DataTransformerInfo[] = [
  standardTransformers.mergeTransformer,
  standardTransformers.organizeFieldsTransformer,
  standardTransformers.sortByTransformer,
];

standardTransformersRegistry.setInit(() =>
  transformers.map((transformer) => ({
    id: transformer.id,
    name: transformer.name,
    transformation: () => Promise.resolve(transformer),
    editor: () => null,
    imageDark: '',
    imageLight: '',
  })),
);

/** The results of a panel, transformed, with names, units, thresholds and colours. */
export function framesOf(panel: Panel, theme: GrafanaTheme2) {
  const raw = (window.drawn.frames[panel.id] ?? []).map(
    ({ refId, fields }): DataFrame => ({
      refId,
      length: fields[0]?.values.length ?? 0,
      fields: fields.map(({ title, type, ...field }) => ({
        ...field,
        type: type as FieldType,
        config: title === undefined ? {} : { displayNameFromDS: title },
      })),
    }),
  );
  const transformed = transformDataFrame([...(panel.transformations ?? [])], raw);
  return {
    subscribe: (take: (frames: DataFrame[]) => void) =>
      transformed.subscribe((frames) => take(configured(frames, panel, theme))),
  };
}

/** Every field with the panel's options: the defaults, then what is said of it by its name. */
function configured(frames: readonly DataFrame[], panel: Panel, theme: GrafanaTheme2): DataFrame[] {
  const { defaults, overrides } = panel.fieldConfig ?? { defaults: {}, overrides: [] };
  let seriesIndex = -1;
  const configuredField = (field: Field): Field => {
    const displayName = nameOf(field, defaults.displayName);
    const config: FieldConfig = structuredClone({ ...defaults, displayName });
    config.custom = {
      drawStyle: 'line',
      axisPlacement: 'auto',
      showPoints: 'auto',
      ...config.custom,
    };
    for (const { matcher, properties } of overrides) {
      if (matcher.id !== 'byName' || matcher.options !== displayName) continue;
      for (const { id, value } of properties) setProperty(config, id, value);
    }
    delete config.links;
    if (field.type === FieldType.number) seriesIndex++;
    const made: Field = {
      ...field,
      config: field.type === FieldType.string ? { displayName, custom: config.custom } : config,
      state: { displayName, seriesIndex },
    };
    made.display = getDisplayProcessor({ field: made, theme, timeZone: 'utc' });
    return made;
  };
  return frames.map((frame) => ({ ...frame, fields: frame.fields.map(configuredField) }));
}

function nameOf(field: Field, displayName: string | undefined): string {
  const [, label = ''] = /^\$\{__field\.labels\.(\w+)\}$/.exec(displayName ?? '') ?? [];
  return (
    field.labels?.[label] ??
    field.config.displayNameFromDS ??
    field.config.displayName ??
    field.name
  );
}

function setProperty(config: FieldConfig, path: string, value: unknown): void {
  const custom = /^custom\.(.+)$/.exec(path)?.[1];
  Object.assign(custom === undefined ? config : config.custom, { [custom ?? path]: value });
}
