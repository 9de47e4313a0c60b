type InMessage<V> = V extends Date
  ? V
  : V extends null
    ? undefined
    : V extends readonly (infer E)[]
      ? InMessage<E>[]
      : V;

/** As messages of ts-proto hold them: null is undefined, lists are not readonly. */
type MessageFields<T> = { -readonly [K in keyof T]: InMessage<T[K]> };

/**
 * The fields of a record for a message with fields of the same names; encoding leaves out what the message lacks. The types
 * refuse a record that lacks a field of the message or holds it as something else.
 */
export function messageFields<T extends object>(record: T): MessageFields<T> {
  const fields = { ...record } as Record<string, unknown>;
  for (const key in fields) if (fields[key] === null) fields[key] = undefined;
  return fields as MessageFields<T>;
}

type Values = Readonly<Record<string, string>>;

/** `INSTALL_FAILED` → `install_failed`. */
type WordOf<E extends Values> = Lowercase<Exclude<keyof E & string, 'UNSPECIFIED'>>;

/** The value of a proto enum that is named as the word: `install_failed` → INSTALL_FAILED. Throws TypeError without one. */
export function enumOf<E extends Values>(values: E, word: WordOf<E>): E[keyof E] {
  const value = values[word.toUpperCase()];
  if (value === undefined) throw new TypeError(`no value ${word}`);
  return value as E[keyof E];
}

/** Null for UNSPECIFIED and for an unknown value. */
export function wordOf<E extends Values>(values: E, value: string): WordOf<E> | null {
  const name = Object.keys(values).find((each) => values[each] === value);
  return name === undefined || name === 'UNSPECIFIED' ? null : (name.toLowerCase() as WordOf<E>);
}
