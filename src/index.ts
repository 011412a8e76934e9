export { attachAgentOs } from './agentos/attach-agentos.ts';
export type { AttachAgentOsOptions } from './agentos/attach-options.ts';
export type { AgentOsRecording, AgentOsRecordingEnd } from './agentos/vm-recording.ts';
export { analyse, type SessionReport } from './analysis/session-report.ts';
export { type SizeOptions, type SizeReport, size } from './analysis/sizing/size.ts';
export {
  recordSession,
  type SessionRecorder,
} from './attach/record-session.ts';
export type { RecordSessionOptions } from './attach/record-session-options.ts';
export type * from './model/agentos.ts';
export type { ErrorCode } from './model/errors.ts';
export { errorCodes, HeadroomError } from './model/errors.ts';
export type * from './model/event.ts';
export type * from './model/recording.ts';
export type * from './model/sample.ts';
export type * from './model/session.ts';
export { renderJson } from './report/json.ts';
export { renderMarkdown } from './report/markdown.ts';
export { renderText } from './report/text.ts';
export type { SdkCall, SdkClient, SdkReply } from './session/sdk.ts';
export { openRecording } from './store/reader.ts';
