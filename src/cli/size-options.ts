import { defaultQuestion, type SizeOptions } from '../analysis/sizing/size.ts';
import { type OptionSpec, type ParsedArguments, UsageError } from './command.ts';
import { nameOption, textOption } from './parse-arguments.ts';
import { parseShare, parseSize } from './quantities.ts';

export const sizeOptionSpecs: Readonly<Record<string, OptionSpec>> = {
  tier: {
    type: 'string',
    value: 'SIZES',
    help: 'sizes that can be had (default 1GiB,8GiB,16GiB)',
  },
  fit: {
    type: 'string',
    value: 'SHARE',
    help: 'share of sessions that is to fit (default 0.99)',
  },
  confidence: { type: 'string', value: 'SHARE', help: 'how sure it is to be (default 0.95)' },
  by: { type: 'string', value: 'LABEL', help: 'an answer for each value of a label as well' },
};

/** What to ask of sessions, from these flags; UsageError. */
export function sizeOptionsOf(parsed: ParsedArguments): SizeOptions {
  const tiers = textOption(parsed, 'tier')?.split(',').map(tierOf);
  const fit = textOption(parsed, 'fit');
  const confidence = textOption(parsed, 'confidence');
  const by = nameOption(parsed, 'by');
  return {
    tiers: [...new Set(tiers ?? defaultQuestion.tiers)],
    ...(fit === null ? {} : { fitRatio: parseShare('--fit', fit) }),
    ...(confidence === null ? {} : { confidence: parseShare('--confidence', confidence) }),
    ...(by === null ? {} : { by }),
  };
}

function tierOf(text: string): number {
  const bytes = parseSize('--tier', text);
  if (bytes === 0) throw new UsageError('--tier takes sizes such as 1GiB,8GiB, not 0');
  return bytes;
}
