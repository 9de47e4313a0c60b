const pattern = /^\.panel-[0-9a-f-]{36}\.part$/;

/** Whether a name is that of a file being written; it is reserved, because such files are swept. */
export function isTempName(name: string): boolean {
  return pattern.test(name);
}
