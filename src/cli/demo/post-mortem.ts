import { analyse, type SessionReport } from '../../analysis/session-report.ts';
import { renderHtml } from '../../report/page/html-file.ts';
import { pageBundle } from '../../report/page/page-bundle.ts';
import { openRecording } from '../../store/reader.ts';
import { OutputFile } from '../output-file.ts';
import type { DemoFiles } from './demo-files.ts';

/** Writes the page that `headroom report FILE --format html` writes; gives the report that is in it. */
export async function writePostMortem(files: DemoFiles): Promise<SessionReport> {
  using recording = openRecording(files.recording);
  const report = analyse(recording);
  await using output = await OutputFile.create(files.page, [files.recording]);
  await output.write(renderHtml(recording, report, { bundle: pageBundle() }));
  await output.finish();
  return report;
}
