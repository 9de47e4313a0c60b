import { consoleConformance } from './conformance-console.js';
import { installConformance } from './conformance-install.js';
import { lifecycleConformance } from './conformance-lifecycle.js';
import { portConformance } from './conformance-ports.js';
import { observationConformance } from './conformance-observation.js';
import type { Subject } from './fixture.js';

export function runtimeConformance(subject: Subject): void {
  lifecycleConformance(subject);
  portConformance(subject);
  consoleConformance(subject);
  observationConformance(subject);
  installConformance(subject);
}
