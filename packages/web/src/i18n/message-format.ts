type FormatValues = Readonly<Record<string, string | number>>;

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'number' }
  | { readonly kind: 'plural'; readonly name: string; readonly forms: ReadonlyMap<string, readonly Part[]> };

/**
 * A part of the ICU syntax: `{name}` and `{name, plural, one {# line} other {# lines}}`. A full parser is ten times
 * larger.
 */
export class MessageFormat {
  readonly #parts: readonly Part[];
  readonly #rules: Intl.PluralRules;
  readonly #numbers: Intl.NumberFormat;
  readonly #isolate: (text: string) => string;

  constructor(text: string, locale: string) {
    this.#parts = new Parser(text).parse();
    this.#rules = new Intl.PluralRules(locale);
    this.#numbers = new Intl.NumberFormat(locale);
    this.#isolate = isolatorOf(locale);
  }

  format(values: FormatValues): string {
    return this.#join(this.#parts, values, 0);
  }

  #join(parts: readonly Part[], values: FormatValues, count: number): string {
    return parts.map((part) => this.#write(part, values, count)).join('');
  }

  #write(part: Part, values: FormatValues, count: number): string {
    if (part.kind === 'text') return part.text;
    if (part.kind === 'number') return this.#numbers.format(count);
    if (part.kind === 'value') {
      const value = values[part.name] ?? '';
      return typeof value === 'string' ? this.#isolate(value) : String(value);
    }
    const number = Number(values[part.name] ?? 0);
    const form = part.forms.get(`=${number}`) ?? part.forms.get(this.#rules.select(number));
    return this.#join(form ?? part.forms.get('other') ?? [], values, number);
  }
}

const rightToLeft = /^(ar|fa|he|ur)\b/;

/**
 * Names, commands and sizes keep their own direction inside of right-to-left text (UAX #9, FSI and PDI); elsewhere they are
 * left as they are.
 */
export function isolatorOf(locale: string): (text: string) => string {
  return rightToLeft.test(locale) ? (text) => (text === '' ? '' : `\u2068${text}\u2069`) : (text) => text;
}

class Parser {
  #at = 0;

  constructor(private readonly text: string) {}

  parse(): readonly Part[] {
    const parts = this.#parts(false);
    if (this.#at < this.text.length) throw this.#error('a brace is closed that was not opened');
    return parts;
  }

  /** Up to the end, or to a form's closing brace. */
  #parts(isForm: boolean): readonly Part[] {
    const parts: Part[] = [];
    const stop = isForm ? /[{}#]/g : /[{}]/g;
    while (this.#at < this.text.length) {
      stop.lastIndex = this.#at;
      const next = stop.exec(this.text)?.index ?? this.text.length;
      if (next > this.#at) parts.push({ kind: 'text', text: this.text.slice(this.#at, next) });
      this.#at = next;
      const found = this.text[next];
      if (found === '#') {
        this.#at += 1;
        parts.push({ kind: 'number' });
      } else if (found === '{') parts.push(this.#argument());
      else break;
    }
    return parts;
  }

  #argument(): Part {
    const name = this.#take(/\{\s*(\w+)\s*/y);
    if (this.text[this.#at] === '}') {
      this.#at += 1;
      return { kind: 'value', name };
    }
    this.#take(/(,\s*plural\s*,\s*)/y);
    const forms = new Map<string, readonly Part[]>();
    while (this.text[this.#at] !== '}') {
      const form = this.#take(/\s*(=\d+|\w+)\s*\{/y);
      forms.set(form, this.#parts(true));
      this.#take(/(\}\s*)/y);
    }
    this.#at += 1;
    if (!forms.has('other')) throw this.#error('a plural has no form "other"');
    return { kind: 'plural', name, forms };
  }

  #take(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.text);
    if (!match) throw this.#error('this is not understood');
    this.#at = expression.lastIndex;
    return match[1] ?? '';
  }

  #error(problem: string): SyntaxError {
    return new SyntaxError(`${problem}, at ${this.#at} of: ${this.text}`);
  }
}
