import { invalidFields } from '@panel/kit/errors';

/** A UUID in lower case, for regular expressions over names that hold one. */
export const uuidText = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
export const uuid = new RegExp(`^${uuidText}$`);

/** A server id as it may name a directory: a UUID in lower case, nothing else. Throws INVALID_FIELDS (`server_id`). */
export function requireServerId(text: string): string {
  if (uuid.test(text)) return text;
  throw invalidFields({ server_id: ['must be a UUID in lower case'] });
}
