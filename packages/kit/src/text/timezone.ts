/** Intl also accepts offsets like +01:00, without daylight saving time. */
const form = /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/;
const maxLength = 64;

export function isTimezone(name: string): boolean {
  if (name.length > maxLength || !form.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
