import { defineReasons } from '@panel/kit/errors';

/** What a driver can fail with. `metadata.reason` holds the engine's own words where it gave any. */
export const runtimeError = defineReasons({
  /** The engine does not answer, refuses the connection, or cannot prove who it is. */
  NODE_UNREACHABLE: 'unavailable',
  /** The engine answers with an unexpected error. */
  ENGINE_FAILED: 'unavailable',
  /** `metadata`: image, reason. */
  IMAGE_PULL_FAILED: 'unavailable',
  /** `metadata`: image. */
  INVALID_IMAGE: 'invalid_argument',
  /** `metadata`: field. */
  INVALID_SPEC: 'invalid_argument',
  INSTANCE_NOT_FOUND: 'not_found',
  INSTANCE_RUNNING: 'failed_precondition',
  PORT_OCCUPIED: 'failed_precondition',
  START_FAILED: 'failed_precondition',
  /** The game does not read its standard input. */
  INPUT_BLOCKED: 'resource_exhausted',
  INSTALL_TIMEOUT: 'deadline_exceeded',
  INSTALL_ABORTED: 'cancelled',
  INSTALL_FAILED: 'failed_precondition',
});
