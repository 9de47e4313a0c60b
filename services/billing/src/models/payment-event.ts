import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date, id, orNull, text } from '@panel/kit/records';
import type { PaymentEvent, StoredEvent } from '../domain/payment.js';
import { maxQueryMs } from './fields.js';
import { ignoreDuplicate } from './write-result.js';

/** Sharding: by _id (hashed). Retained forever, as evidence. */
const eventSchema = documentSchema({
  /** Gateway and event id: stored once. */
  id,
  gateway: id,
  /** JSON of the verified event. */
  event: id,
  receivedAt: date,
  appliedAt: orNull(date),
  error: text,
});
eventSchema.index({ appliedAt: 1, receivedAt: 1 }, { name: 'event_open' });

export interface PaymentEventStore {
  /** Null: already applied. */
  receive(gateway: string, event: PaymentEvent, at: Date): Promise<StoredEvent | null>;
  applied(id: string, at: Date): Promise<void>;
  failed(id: string, error: string): Promise<void>;
  withErrors(limit: number): Promise<{ readonly id: string; readonly error: string }[]>;
  /** Interrupted events. */
  open(before: Date, limit: number): Promise<StoredEvent[]>;
}

export function createPaymentEventStore(connection: MongoConnection): PaymentEventStore {
  const model = defineModel(connection, 'PaymentEvent', eventSchema, 'payment_events');
  return {
    receive: async (gateway, event, at) => {
      const eventId = `${gateway}:${event.eventId}`;
      const document = {
        _id: eventId,
        gateway,
        event: JSON.stringify(event),
        receivedAt: at,
        appliedAt: null,
        error: '',
      };
      if (await ignoreDuplicate(model.create([document]))) return { id: eventId, gateway, event };
      const known = await model.findById(eventId, { appliedAt: 1 }).maxTimeMS(maxQueryMs).lean();
      return known?.appliedAt ? null : { id: eventId, gateway, event };
    },
    applied: async (eventId, at) => {
      await model.updateOne({ _id: eventId }, { $set: { appliedAt: at, error: '' } }).maxTimeMS(maxQueryMs);
    },
    failed: async (eventId, error) => {
      await model.updateOne({ _id: eventId }, { $set: { error } }).maxTimeMS(maxQueryMs);
    },
    withErrors: async (limit) => {
      const found = await model
        .find({ appliedAt: null, error: { $ne: '' } }, { error: 1 })
        .limit(limit)
        .maxTimeMS(maxQueryMs)
        .lean();
      return found.map(({ _id, error }) => ({ id: _id, error }));
    },
    open: async (before, limit) => {
      const found = await model
        .find({ appliedAt: null, receivedAt: { $lt: before } })
        .sort({ receivedAt: 1 })
        .limit(limit)
        .maxTimeMS(maxQueryMs)
        .lean();
      return found.map(({ _id, gateway, event }) => ({ id: _id, gateway, event: parseEvent(event) }));
    },
  };
}

/** Only the time needs conversion. */
function parseEvent(json: string): PaymentEvent {
  const event = JSON.parse(json) as PaymentEvent & { occurredAt: string };
  return { ...event, occurredAt: new Date(event.occurredAt) };
}
