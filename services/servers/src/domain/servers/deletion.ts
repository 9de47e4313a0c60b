/** What people can do while a deletion waits for its node. */
export const deletionHint =
  'the server is deleted when it answers; until then the deletion can be taken back, or be forced';
