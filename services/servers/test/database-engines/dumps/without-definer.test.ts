import { expect } from 'chai';
import { withoutDefiner } from '../../../src/database-engines/dumps/without-definer.js';

describe('statements without their definer', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['a routine', 'CREATE DEFINER=`u`@`%` PROCEDURE p() SELECT 1', 'CREATE  PROCEDURE p() SELECT 1'],
    [
      'a trigger of a dump',
      '/*!50003 CREATE*/ /*!50017 DEFINER=`u`@`10.0.0.%`*/ /*!50003 TRIGGER t BEFORE INSERT ON x FOR EACH ROW SET @a = 1 */',
      '/*!50003 CREATE*/ /*!50017 */ /*!50003 TRIGGER t BEFORE INSERT ON x FOR EACH ROW SET @a = 1 */',
    ],
    [
      'a view of a dump',
      '/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`u`@`%` SQL SECURITY DEFINER */\n/*!50001 VIEW v AS SELECT 1 */',
      '/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013  SQL SECURITY DEFINER */\n/*!50001 VIEW v AS SELECT 1 */',
    ],
    [
      'a quoted definer',
      "create or replace definer = 'u'@'h' view v as select 1",
      'create or replace  view v as select 1',
    ],
    ['a role', 'CREATE DEFINER=CURRENT_USER VIEW v AS SELECT 1', 'CREATE  VIEW v AS SELECT 1'],
  ];
  for (const [title, statement, expected] of cases) {
    it(`removes the definer from ${title}`, () => expect(withoutDefiner(statement)).to.equal(expected));
  }

  it('keeps the word in names, texts and bodies', () => {
    for (const statement of [
      "INSERT INTO x VALUES ('CREATE DEFINER=`u`@`%` VIEW')",
      "CREATE TABLE `DEFINER=u@h` (a INT DEFAULT 1 COMMENT 'DEFINER=a@b')",
      "CREATE PROCEDURE p() SELECT 'DEFINER=a@b'",
      '-- CREATE\nSELECT 1',
    ]) {
      expect(withoutDefiner(statement)).to.equal(statement);
    }
  });
});
