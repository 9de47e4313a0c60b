let aheadMs = 0;

/** Of an installation with a test clock; null: real time. */
export function setPanelTime(time: string | null): void {
  aheadMs = time === null ? 0 : Date.parse(time) - Date.now();
}

export function panelNow(realNow = Date.now()): number {
  return realNow + aheadMs;
}
