const pattern = /^\.panel-[0-9a-f-]{36}\.part$/;

/** Whether a name is one of those that files have while they are written: nobody else may use it, for such files are swept. */
export function isTempName(name: string): boolean {
  return pattern.test(name);
}
