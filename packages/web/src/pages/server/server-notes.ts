// One file for the cards above a console that most visits do without.
export { CrashCard } from './crash-card.js';
export { PendingChanges } from './pending-changes.js';
