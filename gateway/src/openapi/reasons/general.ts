import { conflict, type ReasonEntries } from './reason.js';

/** Reasons that more than one resource has. */
export const generalReasons = {
  creation_deleted: conflict(
    'what this `Idempotency-Key` created has been deleted, or is just being deleted',
    'take a new key',
  ),
  external_id_taken: conflict('another one has this `external_id`', 'look it up by `?external_id=`'),
  server_locked: conflict(
    'an operation or power action of the server is in progress',
    'wait until that has ended, see `operation` of the server',
  ),
  server_suspended: conflict('the server is suspended', 'show that it is suspended'),
} satisfies ReasonEntries;

export type GeneralReason = keyof typeof generalReasons;
