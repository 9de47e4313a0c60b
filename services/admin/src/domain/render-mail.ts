import type { MailContent } from './mail.js';
import { templateOf } from './mail-templates.js';

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Settings `general.name` and `general.url`. */
export interface Sender {
  readonly panel: string;
  readonly url: string;
}

type Values = Readonly<Record<string, string>>;
type Encode = (value: string) => string;

/** Text and HTML. Values are inserted once and not interpreted. */
export function renderMail(content: MailContent, sender: Sender): RenderedMail {
  const template = templateOf(content);
  const values = valuesOf(content, sender);
  const words = (encode: Encode) => (text: string) => fill(text, values, encode);
  const plain = words(unlinked);
  const rich = words((value) => escapeHtml(unlinked(value)));
  const link = template.action && fill(template.action.link, values, (value) => value);
  return {
    subject: plain(template.subject),
    text: [
      ...template.opening.map(plain),
      ...(template.action && link ? [`${template.action.label}:\n${link}`] : []),
      ...template.closing.map(plain),
    ].join('\n\n'),
    html: page([
      ...template.opening.map((text) => paragraph(rich(text))),
      ...(template.action && link ? [button(template.action.label, link)] : []),
      ...template.closing.map((text) => paragraph(rich(text))),
    ]),
  };
}

function valuesOf(content: MailContent, sender: Sender): Values {
  const { kind: _kind, ...own } = content;
  const values = Object.entries(own).map(([name, value]) => [name, String(value)] as const);
  return { ...Object.fromEntries(values), panel: sender.panel, url: sender.url };
}

/** One pass: a value that contains a placeholder stays unchanged. */
function fill(text: string, values: Values, encode: Encode): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new TypeError(`a mail template asks for ${name}, which this mail does not have`);
    return encode(value);
  });
}

/** An invisible joiner keeps mail programs from linking names ("visit evil.example"). */
function unlinked(value: string): string {
  return value.replace(/[.:/@](?=\S)/g, '$&\u2060');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function paragraph(html: string): string {
  return `<p>${html}</p>`;
}

function button(label: string, link: string): string {
  const href = escapeHtml(link);
  return `<p><a href="${href}">${escapeHtml(label)}</a></p>\n<p>${href}</p>`;
}

function page(paragraphs: readonly string[]): string {
  return `<!doctype html>\n<html lang="en">\n<body style="font-family: sans-serif">\n${paragraphs.join('\n')}\n</body>\n</html>\n`;
}
