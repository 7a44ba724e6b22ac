const yargs = require('yargs/yargs');
function named() {}
class Klass {}
module.exports = { named, Klass, alias: named, value: 1, method() {} };
exports.extra = () => {};
module.exports.more = 2;
yargs(argv).command('build [target]', 'builds', {}).command(['run', 'r'], 'x');
const o = { f: function () { return 1; } };
