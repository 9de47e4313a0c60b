const pattern = /^\.panel-[0-9a-f-]{36}\.part$/;

/** Reserved for files being written; swept. */
export function isTempName(name: string): boolean {
  return pattern.test(name);
}
