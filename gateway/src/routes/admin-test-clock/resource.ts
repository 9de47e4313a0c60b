import { TestClock } from '@panel/protos/admin';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { always } from '../../declaration/refine.js';
import { resource } from '../../declaration/resource.js';

export const testClock = resource(TestClock, 'TestClock', {
  now: is.time('now'),
  offset_seconds: is.int('offsetSeconds', 'how far it is ahead of real time'),
  target: is.timeOrNull('targetTime', 'where the move ends; null: none goes on'),
  settled: is.flag('settled', 'no move goes on, and all processes have run what is due'),
  waiting_for: is.texts('waitingFor', 'names of the services that have not settled'),
});

const longestSeconds = 400 * 86_400;

export const advanceBody = z
  .strictObject({
    advance_seconds: z
      .int()
      .min(1)
      .max(longestSeconds)
      .optional()
      .meta({ description: 'at most 400 days', examples: [86_400] }),
    to: z.iso
      .datetime({ offset: true })
      .optional()
      .meta({ description: 'instead of `advance_seconds`: at most 400 days ahead', examples: [] }),
  })
  .refine((body) => (body.advance_seconds === undefined) !== (body.to === undefined), {
    message: 'is required without to, and cannot be given with it',
    path: ['advance_seconds'],
    params: { reason: 'conflicting' },
    when: always,
  });

/** The schema guarantees exactly one. */
export function readAdvance({ advance_seconds: seconds, to }: z.output<typeof advanceBody>) {
  return to === undefined
    ? { $case: 'advanceSeconds' as const, value: seconds ?? 0 }
    : { $case: 'to' as const, value: new Date(to) };
}
