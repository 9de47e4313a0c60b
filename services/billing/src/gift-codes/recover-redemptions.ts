import { finishRedemption, type RedemptionDeps } from './finish-redemption.js';

const batch = 50;
/** Live requests finish their own. */
const graceMs = 5_000;

export async function recoverRedemptions(deps: RedemptionDeps, signal: AbortSignal): Promise<void> {
  const { giftCodes, clock, attempt } = deps;
  const before = new Date(clock().getTime() - graceMs);
  for (const code of await giftCodes.open(before, batch)) {
    for (const redemption of code.redemptions) {
      if (!redemption.openSince || redemption.openSince > before) continue;
      if (signal.aborted) return;
      await attempt('recover-redemptions', code.id, async () => finishRedemption(deps, code, redemption));
    }
  }
}
