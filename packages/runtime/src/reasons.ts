import { defineReasons } from '@panel/kit/errors';

/** What a driver can fail with. `metadata.reason` holds the engine's own words where it gave any. */
export const runtimeError = defineReasons({
  /** The engine does not answer, refuses the connection, or cannot prove who it is: `metadata.problem`. */
  NODE_UNREACHABLE: 'unavailable',
  /** The engine answers with an unexpected error. */
  ENGINE_FAILED: 'unavailable',
  /** `metadata`: image, reason. */
  IMAGE_PULL_FAILED: 'unavailable',
  /** Made for a processor that the node neither has nor emulates. `metadata`: image, platform, node_platform. */
  IMAGE_WRONG_PLATFORM: 'failed_precondition',
  /** `metadata`: image. */
  INVALID_IMAGE: 'invalid_argument',
  /** `metadata`: field. */
  INVALID_SPEC: 'invalid_argument',
  INSTANCE_NOT_FOUND: 'not_found',
  INSTANCE_RUNNING: 'failed_precondition',
  PORT_OCCUPIED: 'failed_precondition',
  /** The machine does not have the address that the game should listen on. `metadata`: ip. */
  ADDRESS_NOT_ON_NODE: 'failed_precondition',
  START_FAILED: 'failed_precondition',
  /** The game does not read its standard input. */
  INPUT_BLOCKED: 'resource_exhausted',
  INSTALL_TIMEOUT: 'deadline_exceeded',
  INSTALL_ABORTED: 'cancelled',
  INSTALL_FAILED: 'failed_precondition',
});

/** Stable words for what stands between the panel and an engine. */
type EngineProblem =
  | 'engine_unreachable'
  /** The network policy of the panel. */
  | 'engine_address_forbidden'
  /** The authority that the node names has not signed it, it has ended, or is for another host. */
  | 'engine_certificate_untrusted'
  /** By the engine: another authority, or none is sent. */
  | 'client_certificate_refused'
  /** Ours cannot be used at all. */
  | 'client_certificate_unusable'
  /** What answers is no engine, or speaks TLS while the node does not, or the other way round. */
  | 'engine_answer_unexpected';

const untrusted =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;
const unusable = /^(ERR_OSSL_|ERR_SSL_(EE|CA)_|ERR_CRYPTO_)/;

/** By the code of a failed connection. */
export function engineProblem(cause: unknown): EngineProblem {
  const code = (cause as NodeJS.ErrnoException | null)?.code ?? '';
  if (untrusted.test(code)) return 'engine_certificate_untrusted';
  if (/^ERR_SSL_.*ALERT/.test(code)) return 'client_certificate_refused';
  if (unusable.test(code)) return 'client_certificate_unusable';
  return /^(HPE_(?!INVALID_EOF)|ERR_SSL_|EPROTO)/.test(code) ? 'engine_answer_unexpected' : 'engine_unreachable';
}
