/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template whose values are escaped unless they are HTML. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  let text = parts[0] ?? '';
  values.forEach((value, index) => {
    text += value instanceof Html ? value.text : value.replace(/[&<>"']/g, (char) => entities[char] ?? '');
    text += parts[index + 1] ?? '';
  });
  return new Html(text);
}

/** HTML of our own, taken as it is. */
export function markup(text: string): Html {
  return new Html(text);
}

export function joined(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join(''));
}

/** Text with `code` in it. */
export function prose(text: string): Html {
  return joined(text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`)));
}
