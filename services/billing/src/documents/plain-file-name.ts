/** Prefixes of numbers may contain slashes. */
export function plainFileName(fileName: string): string {
  return fileName.replace(/[^\w.-]/g, '-');
}
