// A dashboard drawn out of its JSON and the results of its queries, with Grafana's own parts: grid,
// panel frames, numbers, lines, tables, units, thresholds, transformations. Grafana's panels
// themselves are not on npm; what puts these parts together is here.
import { createTheme } from '@grafana/data';
import { PanelChrome, ThemeContext } from '@grafana/ui';
import { createRoot } from 'react-dom/client';
import type { Panel } from '../../../test/support/grafana-dashboard.ts';
import { PanelContent } from './panel-content.tsx';

const theme = createTheme({ colors: { mode: 'dark' } });
const { dashboard, subtitle } = window.drawn;
// Grafana's own: a cell of the grid is 30 px high, with 8 px between two.
const margin = 8;
const rowHeight = 30 + margin;

function Board() {
  const rows = Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  return (
    <div style={{ background: theme.colors.background.canvas }}>
      <div style={{ padding: '12px 8px', height: 64 }}>
        <div style={{ fontSize: 18 }}>{dashboard.title}</div>
        <div style={{ fontSize: 12, color: theme.colors.text.secondary }}>{subtitle}</div>
      </div>
      <div style={{ position: 'relative', height: rows * rowHeight }}>
        {dashboard.panels.map((panel) => (
          <PlacedPanel key={panel.id} panel={panel} />
        ))}
      </div>
    </div>
  );
}

function PlacedPanel({ panel }: { panel: Panel }) {
  const { x, y, w, h } = panel.gridPos;
  const column = (window.innerWidth - margin) / 24;
  const size = { width: w * column - margin, height: h * rowHeight - margin };
  const place = { left: margin + x * column, top: y * rowHeight };
  return (
    <div style={{ position: 'absolute', ...place, ...size }}>
      {panel.type === 'row' ? (
        <div style={{ padding: '4px 0', fontSize: 16 }}>{panel.title}</div>
      ) : (
        <PanelChrome title={panel.title} {...size}>
          {(width: number, height: number) => <PanelContent {...{ panel, theme, width, height }} />}
        </PanelChrome>
      )}
    </div>
  );
}

createRoot(document.body).render(
  <ThemeContext.Provider value={theme}>
    <Board />
  </ThemeContext.Provider>,
);
