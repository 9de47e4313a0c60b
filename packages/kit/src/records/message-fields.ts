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
