import { expect } from 'chai';
import { FeatureQuestions } from '../../src/server/console-session/feature-questions.js';

const eula = { type: 'feature', feature: 'eula', line: 'agree', docker_image: null, java_version: null } as const;
const java = { ...eula, feature: 'java_version', line: 'wrong Java', java_version: 21 } as const;
const start = Date.parse('2026-01-01T00:00:00Z');
const statsOf = (startedAt: number, at: number) => ({
  uptime: at - startedAt,
  observed_at: new Date(at).toISOString(),
});

function asked(...statuses: readonly ('offline' | 'starting' | 'running')[]): FeatureQuestions {
  const questions = new FeatureQuestions();
  for (const status of statuses) questions.onStatus(status);
  questions.ask(eula);
  return questions;
}
const names = ({ open }: FeatureQuestions) => open.map(({ feature }) => feature);

describe('what a game asks for', () => {
  it('asks a question once, also after the game has ended and by a new connection', () => {
    const questions = asked('starting');
    questions.onStatus('offline');
    questions.onStatus('offline');
    questions.ask(eula);
    questions.ask(java);
    expect(names(questions)).to.deep.equal(['eula', 'java_version']);
  });

  it('asks nothing again in the same run by a new connection once it was put aside', () => {
    for (const status of ['starting', 'running', 'offline'] as const) {
      const questions = asked('starting', status);
      questions.putAside(eula);
      questions.onStatus(status);
      questions.ask(eula);
      expect(names(questions), status).to.deep.equal([]);
    }
  });

  it('asks a question again in the next run', () => {
    const questions = asked('starting', 'running');
    questions.putAside(eula);
    questions.onStatus('starting');
    questions.ask(eula);
    expect(names(questions)).to.deep.equal(['eula']);
  });

  it('asks a question again in a run that began while there was no connection', () => {
    const questions = asked('starting', 'offline');
    questions.putAside(eula);
    questions.onStatus('running');
    questions.ask(eula);
    expect(names(questions)).to.deep.equal(['eula']);
  });

  it('asks a question again in a run that replaced another one while there was no connection', () => {
    const questions = asked('starting', 'running');
    questions.onStats(statsOf(start, start + 60_000));
    questions.putAside(eula);
    questions.onConnect();
    questions.onStatus('running');
    questions.onStats(statsOf(start + 90_000, start + 100_000));
    questions.ask(eula);
    expect(names(questions)).to.deep.equal(['eula']);
    // Samples of one run differ by milliseconds.
    questions.onStats(statsOf(start + 90_800, start + 200_000));
    expect(names(questions)).to.deep.equal(['eula']);
  });

  it('closes a question that somebody else has answered, and asks it when the game does again', () => {
    const questions = asked('starting', 'running');
    questions.ask(java);
    questions.resolve('eula');
    expect(names(questions)).to.deep.equal(['java_version']);
    questions.ask(eula);
    expect(names(questions)).to.deep.equal(['java_version', 'eula']);
  });

  it('drops the question of an earlier run', () => {
    const questions = asked('starting', 'running');
    questions.onStats(statsOf(start, start + 60_000));
    questions.onConnect();
    questions.onStats(statsOf(start + 90_000, start + 100_000));
    expect(names(questions)).to.deep.equal([]);
  });

  it('leaves the questions of the next run open when the answer to one of the run before arrives late', () => {
    const questions = asked('starting', 'running');
    questions.onStatus('starting');
    questions.ask(java);
    questions.ask({ ...eula });
    questions.putAside(eula);
    expect(names(questions)).to.deep.equal(['java_version', 'eula']);
  });

  it('stays asked when a sample of the run before comes late', () => {
    const questions = asked('starting', 'running');
    questions.onStats(statsOf(start, start + 60_000));
    questions.onStatus('starting');
    questions.onStats(statsOf(start, start + 61_000));
    questions.ask(eula);
    questions.onStats(statsOf(start + 61_500, start + 70_000));
    expect(names(questions)).to.deep.equal(['eula']);
  });
});
