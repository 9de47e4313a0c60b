/** Highest allowed processor number. */
export const maxProcessor = 1023;
const maxLength = 191;

/** A list as in cpuset(7): "0-3,6". */
export function isProcessorList(text: string): boolean {
  if (text.length > maxLength) return false;
  return text.split(',').every((part) => {
    const [first, last] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part)?.slice(1) ?? [];
    if (first === undefined) return false;
    return Number(first) <= Number(last ?? first) && Number(last ?? first) <= maxProcessor;
  });
}
