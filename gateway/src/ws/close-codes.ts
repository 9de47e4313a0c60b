/** See docs/rest-api.md §6. */
export const closeCodes = {
  restart: 1012,
  tooSlow: 1013,
  unauthorized: 4401,
  forbidden: 4403,
  deleted: 4404,
  suspended: 4409,
  flooding: 4429,
  /** Access unverified for too long. */
  unverified: 4503,
} as const;

/** Of close frames. */
export const closeReasons: ReadonlyMap<number, string> = new Map([
  [closeCodes.restart, 'the gateway restarts'],
  [closeCodes.tooSlow, 'the reader is too slow'],
  [closeCodes.unauthorized, 'the session has ended'],
  [closeCodes.forbidden, 'access was removed'],
  [closeCodes.deleted, 'the server was deleted'],
  [closeCodes.suspended, 'the server is suspended'],
  [closeCodes.flooding, 'too many messages'],
  [closeCodes.unverified, 'access could not be verified'],
]);
