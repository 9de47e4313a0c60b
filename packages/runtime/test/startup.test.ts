import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { toShell } from '../src/startup.js';

describe('startup command', () => {
  const cases: [string, string][] = [
    ['java -Xmx{{SERVER_MEMORY}}M -jar {{ SERVER_JARFILE }}', 'java -Xmx${SERVER_MEMORY}M -jar ${SERVER_JARFILE}'],
    ['${ALREADY} $(date)', '${ALREADY} $(date)'],
    ['[[ {{A}} == 1 ]] && x {{B}}', '[[ ${A} == 1 ]] && x ${B}'],
    ['$( [[ {{CROSSPLAY}} -eq 1 ]] && echo " -crossplay ")', '$( [[ ${CROSSPLAY} -eq 1 ]] && echo " -crossplay ")'],
    ['run {{server_name}} ${local}', 'run ${SERVER_NAME} ${local}'],
    ['{{}} {{1X}} {{A-B}} {{A.B}} {{$(id)}}', '{{}} {{1X}} {{A-B}} {{A.B}} {{$(id)}}'],
    ['{{A}}{{B}}', '${A}${B}'],
    ['{{{A}}}', '{${A}}'],
    ['[[ never closed {{A}}', '[[ never closed ${A}'],
  ];
  for (const [startup, shell] of cases) {
    it(`renders ${startup} as ${shell}`, () => {
      expect(toShell(startup)).to.equal(shell);
    });
  }

  it('parses a startup command in linear time', () => {
    const begin = processorMs();
    toShell('{{'.repeat(30_000));
    toShell('[['.repeat(30_000));
    expect(processorMs() - begin).to.be.below(2000);
  });
});
