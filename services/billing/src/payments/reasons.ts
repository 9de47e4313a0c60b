import { defineReasons } from '@panel/kit';

/** Why a payment gateway refuses; its metadata says what exactly. */
export const fail = defineReasons({
  PAYMENT_GATEWAY_UNAVAILABLE: 'unavailable',
  PAYMENT_REFUSED: 'failed_precondition',
  WEBHOOK_INVALID: 'invalid_argument',
});

/** What is wrong with a webhook, for logs and tests. */
export type WebhookProblem = 'too_large' | 'header_missing' | 'header_repeated' | 'signature' | 'time' | 'malformed';

export function invalidWebhook(problem: WebhookProblem, facts: Record<string, unknown> = {}): Error {
  return fail('WEBHOOK_INVALID', 'the webhook is not valid', { problem, ...facts });
}
