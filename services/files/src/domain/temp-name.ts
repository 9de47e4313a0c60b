const pattern = /^\.panel-[0-9a-f-]{36}\.part$/;

/** Reserved; such files are swept. */
export function isTempName(name: string): boolean {
  return pattern.test(name);
}
