import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Schedule } from '../domain/schedules/schedule.js';

export interface WebhookSigner {
  sign(schedule: Pick<Schedule, 'id' | 'webhookNonce'>): string;
  isSigned(schedule: Pick<Schedule, 'id' | 'webhookNonce'>, signature: string): boolean;
}

export function createWebhookSigner(secret: string): WebhookSigner {
  const key = createHmac('sha256', secret).update('panel schedule webhook').digest();
  const digest = ({ id, webhookNonce }: Pick<Schedule, 'id' | 'webhookNonce'>) =>
    createHmac('sha256', key).update(`${id}.${webhookNonce}`).digest();
  return {
    sign: (schedule) => digest(schedule).toString('base64url'),
    isSigned: (schedule, signature) => {
      const given = Buffer.from(signature, 'base64url');
      const wanted = digest(schedule);
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    },
  };
}
