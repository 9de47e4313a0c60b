import type { ConsoleMessages } from '../console/console-messages.js';
import { presentOperation, presentPowerState } from './server.js';

export const consoleMessages: ConsoleMessages = {
  line: ({ sequence, text, at, isPartial }) => ({
    event: { $case: 'console', value: { sequence, text, time: at, ...(isPartial && { isPartial }) } },
  }),
  install: (text, step) => ({ event: { $case: 'install', value: { text, step } } }),
  power: (state) => ({ event: { $case: 'powerState', value: { state: presentPowerState(state) } } }),
  operation: (operation) => ({ event: { $case: 'operation', value: { operation: presentOperation(operation) } } }),
  stats: (stats) => ({ event: { $case: 'stats', value: stats } }),
  feature: ({ feature, line, dockerImage, javaVersion }) => ({
    event: {
      $case: 'feature',
      value: { feature, line, dockerImage: dockerImage ?? '', javaVersion: javaVersion ?? 0 },
    },
  }),
  featureEnd: ({ feature, line }) => ({
    event: { $case: 'feature', value: { feature, line, dockerImage: '', javaVersion: 0, isResolved: true } },
  }),
  historyEnd: { event: { $case: 'historyEnd', value: {} } },
  resources: (server, stats, diskBytes) => ({
    state: presentPowerState(server.power.state),
    suspended: server.suspended,
    uptimeMs: stats?.uptimeMs ?? 0,
    // Hundredths, as `docker stats` shows them.
    cpuPercent: Math.round((stats?.cpuPercent ?? 0) * 100) / 100,
    memoryBytes: stats?.memoryBytes ?? 0,
    memoryLimitBytes: stats?.memoryLimitBytes ?? 0,
    diskBytes,
    networkRxBytes: stats?.networkRxBytes ?? 0,
    networkTxBytes: stats?.networkTxBytes ?? 0,
    observeTime: stats?.at ?? new Date(),
  }),
};
