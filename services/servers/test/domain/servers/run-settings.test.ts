import { expect } from 'chai';
import { checkRunSettings, runSettingsOf, stopGraceMsOf } from '../../../src/domain/servers/run-settings.js';
import { aServer } from '../../support/server-fixture.js';

describe('run settings', () => {
  it('fills run settings with defaults where a server says nothing', () => {
    expect(runSettingsOf(aServer({ runSettings: { threads: '0' } }))).to.deep.equal({
      autoStart: 'unless_stopped',
      timezone: '',
      threads: '0',
      isOomKillDisabled: false,
      stopGraceSeconds: null,
    });
  });

  it('accepts lists of processors, time zones and grace periods', () => {
    for (const threads of ['', '0', '0-3', '0-3,6', '1,3,5-7', '1023'])
      expect(checkRunSettings({ threads }), threads).to.deep.equal({});
    for (const timezone of ['', 'UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])
      expect(checkRunSettings({ timezone }), timezone).to.deep.equal({});
    for (const stopGraceSeconds of [null, 1, 86_400])
      expect(checkRunSettings({ stopGraceSeconds }), String(stopGraceSeconds)).to.deep.equal({});
  });

  it('refuses all other run settings by their field', () => {
    for (const threads of ['a', '3-1', '0,', ',0', '0--1', '0-', '1024', '0 1', '-1', '0;1', '0-3,'.repeat(60)])
      expect(Object.keys(checkRunSettings({ threads })), threads).to.deep.equal(['threads']);
    for (const timezone of ['Mars/Base', 'x', '../etc/passwd', 'UTC\n'])
      expect(Object.keys(checkRunSettings({ timezone })), timezone).to.deep.equal(['timezone']);
    for (const stopGraceSeconds of [0, -1, 1.5, 86_401, Number.NaN])
      expect(Object.keys(checkRunSettings({ stopGraceSeconds })), String(stopGraceSeconds)).to.deep.equal([
        'stop_grace',
      ]);
  });

  it('takes the grace period of the server, else of its egg, else of the panel', () => {
    const { egg } = aServer();
    const slowEgg = { ...egg, config: { ...egg.config, stopGraceSeconds: 120 } };
    expect(stopGraceMsOf(aServer(), 5_000)).to.equal(5_000);
    expect(stopGraceMsOf(aServer({ egg: slowEgg }), 5_000)).to.equal(120_000);
    expect(stopGraceMsOf(aServer({ egg: slowEgg, runSettings: { stopGraceSeconds: 7 } }), 5_000)).to.equal(7_000);
  });
});
