import type { Logger } from '@panel/kit/process';
import { z } from 'zod';

interface VatAnswer {
  readonly isValid: boolean;
  /** Proof of the question; empty without a requester. */
  readonly consultation: string;
}

export interface VatRegister {
  /** `number` and `requester` with their prefix; an empty requester gets no proof. Null: no answer. */
  check(number: string, requester: string): Promise<VatAnswer | null>;
}

interface ViesSettings {
  /** Base URL of its REST API. */
  readonly apiBase: string;
  readonly timeoutMs: number;
}

/** VIES says with `userError` whether `valid` is an answer. */
const answerSchema = z.object({
  valid: z.boolean(),
  requestIdentifier: z.string().nullish(),
  userError: z.enum(['VALID', 'INVALID', '']).nullish(),
});

/** Register of the EU: https://ec.europa.eu/taxation_customs/vies/#/technical-information */
export function createVies({ apiBase, timeoutMs }: ViesSettings, log: Logger): VatRegister {
  return {
    check: async (number, requester) => {
      const question = {
        countryCode: number.slice(0, 2),
        vatNumber: number.slice(2),
        ...(requester === ''
          ? {}
          : { requesterMemberStateCode: requester.slice(0, 2), requesterNumber: requester.slice(2) }),
      };
      try {
        const response = await fetch(`${apiBase.replace(/\/$/, '')}/check-vat-number`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(question),
          signal: AbortSignal.timeout(timeoutMs),
          redirect: 'error',
        });
        const { valid, requestIdentifier } = answerSchema.parse(await response.json());
        return { isValid: valid, consultation: requestIdentifier ?? '' };
      } catch (error) {
        // Unreachable, overloaded, or a member state is unavailable: all the same to the caller.
        log.warn({ err: error, country: question.countryCode }, 'VIES gave no answer');
        return null;
      }
    },
  };
}
