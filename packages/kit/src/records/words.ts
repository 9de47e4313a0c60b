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
