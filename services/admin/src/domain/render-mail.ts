import type { MailContent } from './mail.js';
import { actionLinks, actionOf, type MailLanguage, mailTexts, templateNameOf } from './mail-templates.js';
import { visibleName } from './visible-name.js';

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Settings `general.name`, `general.url` and `general.timezone`. */
export interface Sender {
  readonly panel: string;
  readonly url: string;
  readonly timezone: string;
}

type Values = Readonly<Record<string, string>>;
type Encode = (value: string) => string;

/** Text and HTML. Values are inserted once and not interpreted. */
export function renderMail(content: MailContent, sender: Sender, language: MailLanguage): RenderedMail {
  const { templates, labels } = mailTexts[language];
  const name = templateNameOf(content);
  const { subject, opening, closing } = templates[name];
  const action = actionOf(name);
  const values = valuesOf(content, sender, language);
  const words = (encode: Encode) => (text: string) => fill(text, values, encode);
  const plain = words((value) => value);
  // A value keeps its own direction.
  const rich = words((value) => `<bdi>${escapeHtml(value)}</bdi>`);
  const link = action && plain(actionLinks[action]);
  return {
    subject: plain(subject),
    text: [
      ...opening.map(plain),
      ...(action && link ? [`${labels[action]}:\n${link}`] : []),
      ...closing.map(plain),
    ].join('\n\n'),
    html: page(language, [
      ...opening.map((text) => paragraph(rich(text))),
      ...(action && link ? [button(labels[action], link)] : []),
      ...closing.map((text) => paragraph(rich(text))),
    ]),
  };
}

function valuesOf(content: MailContent, { panel, url, timezone }: Sender, language: MailLanguage): Values {
  const values = Object.entries(content).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    const text = valueText(name, value, language, timezone);
    return text === null ? [] : [[name, text]];
  });
  return { ...Object.fromEntries(values), panel, url };
}

/** Null: texts have no such value. */
function valueText(name: string, value: string | number, language: MailLanguage, timezone: string): string | null {
  switch (name) {
    case 'username':
    case 'inviter':
    case 'serverName':
    case 'customerName':
    case 'serviceName':
      return visibleName(String(value));
    case 'total':
    case 'balance':
    case 'oldPrice':
    case 'newPrice':
      return moneyText(String(value), language);
    case 'dueAt':
    case 'endsAt':
    case 'startsAt':
      return dayText(String(value), language, timezone);
    case 'validHours':
      return durationText(Number(value), 'hour', language);
    case 'validMinutes':
      return durationText(Number(value), 'minute', language);
    case 'token':
    case 'newEmail':
    case 'number':
      return String(value);
    default:
      return null;
  }
}

/** "4.99 EUR", with the digits that it has. */
function moneyText(money: string, language: MailLanguage): string {
  const [amount = '', currency = ''] = money.split(' ');
  const digits = amount.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // A number would lose digits.
  return withoutMarks(format.format(amount as Intl.StringNumericLiteral));
}

function dayText(time: string, language: MailLanguage, timezone: string): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: timezone });
  return withoutMarks(format.format(new Date(time)));
}

function durationText(count: number, unit: 'hour' | 'minute', language: MailLanguage): string {
  return withoutMarks(new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count));
}

/** Direction marks of `Intl`: a copied amount would contain them. */
function withoutMarks(text: string): string {
  return text.replace(/[\u061c\u200e\u200f]/g, '');
}

/** One pass: a value that contains a placeholder stays unchanged. */
function fill(text: string, values: Values, encode: Encode): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new TypeError(`a mail template asks for ${name}, which this mail does not have`);
    return encode(value);
  });
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function paragraph(html: string): string {
  return `<p>${html}</p>`;
}

const buttonStyle =
  'display: inline-block; padding: 12px 20px; border-radius: 6px; background: #1f5fbf; color: #ffffff; text-decoration: none';

function button(label: string, link: string): string {
  const href = escapeHtml(link);
  return `<p><a href="${href}" style="${buttonStyle}">${escapeHtml(label)}</a></p>\n<p><bdi>${href}</bdi></p>`;
}

/** Long links and names wrap on small screens. */
const bodyStyle = 'max-width: 640px; margin: 0 auto; padding: 16px; font-family: sans-serif; overflow-wrap: anywhere';

function page(language: MailLanguage, paragraphs: readonly string[]): string {
  const direction = language === 'ar' ? 'rtl' : 'ltr';
  const head = '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>';
  const body = `<body style="${bodyStyle}">\n${paragraphs.join('\n')}\n</body>`;
  return `<!doctype html>\n<html lang="${language}" dir="${direction}">\n${head}\n${body}\n</html>\n`;
}
