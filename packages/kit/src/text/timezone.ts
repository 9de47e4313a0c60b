/** Intl also knows offsets like +01:00, which do not follow the seasons. */
const form = /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/;
const maxLength = 64;

/** Whether this is the IANA name of a time zone that the runtime knows. */
export function isTimezone(name: string): boolean {
  if (name.length > maxLength || !form.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
