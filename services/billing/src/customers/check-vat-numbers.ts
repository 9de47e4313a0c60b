import type { Jobs } from '@panel/kit/process';
import { addDaysTo } from '../domain/calendar.js';
import { backOffMs } from '../domain/back-off.js';
import type { BillingProfile, VatCheck } from '../domain/profile.js';
import type { BillingSettings } from '../domain/settings.js';
import { compactVatNumber, isVatNumber, vatCountry } from '../domain/vat-number.js';
import type { ProfileStore } from '../models/profile.js';
import type { SettingsSource } from '../settings/settings-reader.js';
import type { VatRegister } from './vies.js';

interface VatCheckDeps {
  readonly clock: () => Date;
  readonly profiles: Pick<ProfileStore, 'dueVatChecks' | 'setVatCheck'>;
  readonly settings: SettingsSource;
  readonly vatRegister: VatRegister;
  readonly attempt: Jobs['attempt'];
}

const batchSize = 50;
/** Numbers end: an answer is asked for again. */
const answerDays = 30;

/** Of new numbers, of those that VIES had no answer for, and of old answers. Idempotent. */
export async function checkVatNumbers(deps: VatCheckDeps, signal: AbortSignal): Promise<void> {
  const settings = await deps.settings.read();
  if (!isAsked(settings)) return;
  for (const profile of await deps.profiles.dueVatChecks(deps.clock(), batchSize)) {
    if (signal.aborted) return;
    await deps.attempt('check-vat-numbers', profile.userId, async () => checkVatNumber(deps, profile, settings));
  }
}

export function isAsked({ taxScheme, vatCheck }: Pick<BillingSettings, 'taxScheme' | 'vatCheck'>): boolean {
  return taxScheme === 'eu' && vatCheck !== 'off';
}

/** Keeps what VIES says; without an answer the last one holds. Returns the profile with it. */
export async function checkVatNumber(
  { profiles, vatRegister, clock }: Pick<VatCheckDeps, 'profiles' | 'vatRegister' | 'clock'>,
  profile: BillingProfile,
  { seller }: Pick<BillingSettings, 'seller'>,
): Promise<BillingProfile> {
  const { userId, vatNumber: number } = profile;
  const own = compactVatNumber(seller.vatNumber);
  const answer = isVatNumber(number)
    ? await vatRegister.check(number, vatCountry(own) === null ? '' : own)
    : { isValid: false, consultation: '' };
  const at = clock();
  const last = profile.vatCheck?.number === number ? profile.vatCheck : uncheckedVat(number, at);
  const check: VatCheck = answer
    ? {
        number,
        state: answer.isValid ? 'valid' : 'invalid',
        consultation: answer.consultation,
        answeredAt: at,
        attempts: 0,
        nextAt: addDaysTo(at, answerDays),
      }
    : { ...last, attempts: last.attempts + 1, nextAt: new Date(at.getTime() + backOffMs(last.attempts)) };
  return (await profiles.setVatCheck(userId, check)) ?? profile;
}

/** Of a number that is due at once. */
export function uncheckedVat(number: string, at: Date): VatCheck {
  return { number, state: 'unanswered', consultation: '', answeredAt: null, attempts: 0, nextAt: at };
}
