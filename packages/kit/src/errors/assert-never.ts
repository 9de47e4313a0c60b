/** Ends a `switch` over a union: a new member becomes a compile error, and a foreign value at run time a loud one. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value: ${JSON.stringify(value)}`);
}
