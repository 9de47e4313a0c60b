import { isAppError, messageOf } from '@panel/kit/errors';

const absent = 'a part of the panel does not answer';
/** What the transport or a driver says of these names addresses. */
const plainWords: ReadonlyMap<string, string> = new Map([
  ['SERVICE_UNAVAILABLE', absent],
  ['DEADLINE_EXCEEDED', absent],
  ['CANCELLED', absent],
  ['DATABASE_HOST_UNREACHABLE', 'the database host does not answer'],
]);
/** Their `metadata.reason` is for operators. */
const operatorsOnly: ReadonlySet<string> = new Set(['NODE_UNREACHABLE', 'ENGINE_FAILED']);
const maxLength = 300;

/** For owners: the panel's messages, and the engine's on image and port. The words of a library are for the log. */
export function describeFailure(error: unknown): string {
  if (!isAppError(error) || error.kind === 'internal') return 'an unexpected error';
  const message = plainWords.get(error.reason) ?? messageOf(error).slice(0, maxLength);
  const { reason } = error.metadata;
  const isShown = typeof reason === 'string' && reason !== '' && !operatorsOnly.has(error.reason);
  return isShown ? `${message} (${reason.slice(0, maxLength)})` : message;
}
