const failedCalls = new WeakMap<Error, string>();

/** Names the call that failed, for logs: never part of an answer. The first name stays. */
export function noteFailedCall(error: unknown, call: string): void {
  if (error instanceof Error && !failedCalls.has(error)) failedCalls.set(error, call);
}

/** Like `panel.files.v1.FileService/ReadFile at files-0:50051`. */
export function failedCallOf(error: unknown): string | undefined {
  return error instanceof Error ? failedCalls.get(error) : undefined;
}
