export { ApiError, TwoFactorRequired } from './api-error.js';
export type { ClientOptions, PanelClient, SecondFactor, UntypedOptions } from './client.js';
export type { ConsoleSocket, MessageOf, WaitOptions } from './console.js';
export type {
  Answer,
  AnswerOf,
  Bytes,
  BytesPath,
  CommonOptions,
  Endpoint,
  EnvelopeEndpoint,
  ItemOf,
  ListAnswer,
  ListPath,
  Method,
  OptionsArgument,
  OptionsOf,
  PageMeta,
  PathOf,
} from './endpoint.js';
export type * from './generated/api.js';
