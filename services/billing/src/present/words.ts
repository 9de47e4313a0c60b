/** `credit_note` with `KIND_` is KIND_CREDIT_NOTE. */
export function enumOf<E extends string>(values: Readonly<Record<string, E>>, prefix: string, word: string): E {
  const wanted = `${prefix}${word.toUpperCase()}`;
  const value = Object.values(values).find((each) => each === wanted);
  if (value === undefined) throw new TypeError(`no value ${wanted}`);
  return value;
}

/** Null for UNSPECIFIED and unknown values. */
export function wordOf<W extends string>(value: string, prefix: string, words: readonly W[]): W | null {
  const text = value.slice(prefix.length).toLowerCase();
  return words.find((word) => word === text) ?? null;
}
