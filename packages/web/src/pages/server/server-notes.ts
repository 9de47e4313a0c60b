// One bundle, because most visits need none of these cards.
export { CrashCard } from '../../console/crash-card.js';
export { PendingChanges } from '../../startup/pending-changes.js';
