export const cronFieldNames = ['minute', 'hour', 'day_of_month', 'month', 'day_of_week'] as const;
export type CronFieldName = (typeof cronFieldNames)[number];

const bounds: Readonly<Record<CronFieldName, readonly [least: number, most: number]>> = {
  minute: [0, 59],
  hour: [0, 23],
  day_of_month: [1, 31],
  month: [1, 12],
  day_of_week: [0, 6],
};
const months = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const days = 'SUN MON TUE WED THU FRI SAT'.split(' ');

/** Of other programs, with what they mean. */
const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** For what people know from other programs; null: nothing to explain. */
export function explainField(text: string): string | null {
  const trimmed = text.trim();
  const fields = trimmed.split(/\s+/);
  if (trimmed.startsWith('@')) return explainNickname(trimmed.toLowerCase());
  if (fields.length === 5) return `is a whole cron line: put ${inFields(trimmed)}`;
  return fields.length > 1 ? 'must be one field, without blanks' : null;
}

function explainNickname(nickname: string): string {
  if (nickname === '@reboot') return 'has no nicknames: use the trigger server_started';
  const line = nicknames[nickname];
  return line === undefined ? 'has no nicknames: fill the five fields' : `has no nicknames: put ${inFields(line)}`;
}

function inFields(line: string): string {
  const texts = line.split(/\s+/);
  return cronFieldNames.map((name, i) => `${texts[i]} in ${name}`).join(', ');
}

/** In the parser's terms: `?` of day fields is `*`, and a range that wraps around becomes two. */
export function plainField(name: CronFieldName, text: string): string {
  if (text === '?' && name.startsWith('day_')) return '*';
  return text
    .split(',')
    .map((part) => unwrapRange(name, part))
    .join(',');
}

function unwrapRange(name: CronFieldName, part: string): string {
  const [, first = '', last = '', stepText] = /^(\w+)-(\w+)(?:\/(\d+))?$/.exec(part) ?? [];
  const [from, to] = [valueOf(name, first), valueOf(name, last)];
  if (from === null || to === null || from <= to) return part;
  const [least, most] = bounds[name];
  if (from > most || to < least) return part;
  const step = Number(stepText ?? 1);
  const suffix = stepText === undefined ? '' : `/${stepText}`;
  const next = least + ((step - ((most - from + 1) % step)) % step);
  const ranges = [`${from}-${most}${suffix}`, ...(next <= to ? [`${next}-${to}${suffix}`] : [])];
  return step === 0 ? part : ranges.join(',');
}

function valueOf(name: CronFieldName, text: string): number | null {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const names = name === 'month' ? months : name === 'day_of_week' ? days : [];
  const at = names.indexOf(text.toUpperCase());
  return at === -1 ? null : at + bounds[name][0];
}
