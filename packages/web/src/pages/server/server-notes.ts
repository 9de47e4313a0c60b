// One file for the cards above a console that most visits do without.
export { CrashCard } from '../../console/crash-card.js';
export { PendingChanges } from '../../startup/pending-changes.js';
