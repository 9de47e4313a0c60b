/** Asks until the answer is yes; rejects after `timeoutMs`. For states without an event. */
export async function eventually(isSo: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const giveUpAt = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error(`not so after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
