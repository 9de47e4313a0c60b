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
const problemSchema = z.object({ errorWrappers: z.array(z.object({ error: z.string() })).min(1) });

interface Question {
  readonly countryCode: string;
  readonly vatNumber: string;
  readonly requesterMemberStateCode?: string;
  readonly requesterNumber?: string;
}

/** Register of the EU: https://ec.europa.eu/taxation_customs/vies/#/technical-information */
export function createVies(settings: ViesSettings, log: Logger): VatRegister {
  return {
    check: async (number, requester) => {
      const question: Question = { countryCode: number.slice(0, 2), vatNumber: number.slice(2) };
      const { countryCode: country } = question;
      const asker = { requesterMemberStateCode: requester.slice(0, 2), requesterNumber: requester.slice(2) };
      try {
        const answer = await ask(settings, requester === '' ? question : { ...question, ...asker });
        if (answer !== 'INVALID_REQUESTER_INFO') return readAnswer(answer, country, log);
        log.error({ requester }, 'VIES does not know the VAT number of the seller: its answers are no proof');
        return readAnswer(await ask(settings, question), country, log);
      } catch (error) {
        log.warn({ err: error, country }, 'VIES could not be asked');
        return null;
      }
    },
  };
}

/** An answer, or the name of a problem. */
async function ask({ apiBase, timeoutMs }: ViesSettings, question: Question): Promise<VatAnswer | string> {
  const response = await fetch(`${apiBase.replace(/\/$/, '')}/check-vat-number`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(question),
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  });
  const json: unknown = await response.json();
  const answer = answerSchema.safeParse(json).data;
  if (answer) return { isValid: answer.valid, consultation: answer.requestIdentifier ?? '' };
  return problemSchema.safeParse(json).data?.errorWrappers[0]?.error ?? `status ${response.status}`;
}

/** Busy, or a member state is unavailable: all the same to the caller. */
function readAnswer(answer: VatAnswer | string, country: string, log: Logger): VatAnswer | null {
  if (typeof answer !== 'string') return answer;
  if (answer === 'INVALID_INPUT') return { isValid: false, consultation: '' };
  log.warn({ problem: answer, country }, 'VIES gave no answer');
  return null;
}
