package main

// Expressions whose values are recorded, by library.
var showings = []string{
	// strings
	`
self.s.charAt(1)
self.s.charAt(11)
self.s.charAt(12)
self.s.charAt(-1)
self.s.indexOf('o')
self.s.indexOf('o', 5)
self.s.indexOf('')
self.s.indexOf('', 3)
self.s.indexOf('x')
self.s.indexOf('o', -1)
self.s.indexOf('o', 50)
self.s.lastIndexOf('o')
self.s.lastIndexOf('l')
self.s.lastIndexOf('l', 3)
self.s.lastIndexOf('')
self.s.lastIndexOf('l', -1)
self.s.lastIndexOf('l', 100)
self.s.lastIndexOf('a longer text than that')
self.s.lowerAscii()
'ABC É'.lowerAscii()
self.s.upperAscii()
self.t.replace(',', ';')
self.t.replace(',', ';', 1)
self.t.replace(',', ';', 0)
self.t.replace(',', ';', -1)
self.t.replace('', '-')
self.t.replace('', '-', 2)
self.t.replace('a,b', '')
self.t.split(',')
self.t.split(',', 2)
self.t.split(',', 0)
self.t.split(',', 1)
self.t.split(',', -1)
self.t.split('')
self.s.split('', 3)
''.split('')
''.split(',')
self.s.substring(1)
self.s.substring(11)
self.s.substring(12)
self.s.substring(1, 4)
self.s.substring(4, 1)
self.s.substring(-1, 2)
self.s.substring(1, 40)
'  a b \t\n'.trim()
'\u00a0\u2003x\u3000'.trim()
self.texts.join()
self.texts.join(', ')
[].join('x')
['a'].join('x')
strings.quote(self.s)
strings.quote('a"b\\c\n\t\u0007')
self.s.reverse()
`, `
'%s and %d'.format([self.s, self.i])
'%d%%'.format([5])
'%.2f'.format([self.d])
'%f'.format([1234567.891])
'%.3f'.format([-1234.5])
'%.0f'.format([2.5])
'%e'.format([1052.032911275])
'%.2e'.format([0.00012])
'%e'.format([0.0])
'%f'.format(['NaN'])
'%f'.format(['-Infinity'])
'%b'.format([5])
'%b'.format([-5])
'%b'.format([true])
'%o'.format([11])
'%x'.format([30])
'%X'.format([-30])
'%x'.format(['Hello'])
'%X'.format([b'hello'])
'%s'.format([null])
'%s'.format([[1, 2]])
'%s'.format([self.texts])
'%s'.format([self.map])
'%s'.format([self.items])
'%s'.format([self.object])
'%s'.format([{'a': 1, 'b': 2}])
'%s'.format([{1: true, 2: false}])
'%s'.format([[1.5, 2.0]])
'%s'.format([1.5])
'%s'.format([1e20])
'%s'.format([[b'ab']])
'%s'.format([self.dateTime])
'%s'.format([[self.dateTime]])
'%s'.format([self.duration])
'%s'.format([[self.duration]])
'%s'.format([type(1)])
'%s'.format([[type(1)]])
'%s'.format([self.reals])
'%s'.format([5u])
'%s'.format([self.either])
'%d'.format([self.either2])
'%s %s'.format(dyn(['a']))
self.t.format(dyn([]))
'%'.format(dyn(['a']))
'%z'.format(dyn(['a']))
'%.f'.format(dyn([1.0]))
'%.3'.format(dyn([1.0]))
'%s'.format(dyn([ip('1.2.3.4')]))
'%s'.format(dyn([[ip('1.2.3.4')]]))
'%d'.format(dyn([1.5]))
'%f'.format(dyn([1]))
'%e'.format(dyn(['x']))
'%b'.format(dyn(['x']))
'%o'.format(dyn(['x']))
'%x'.format(dyn([1.5]))
'%s'.format(dyn([optional.of(1)]))
`,
	// lists
	`
self.ints.isSorted()
[1, 2, 2].isSorted()
self.texts.isSorted()
[].isSorted()
[true, false].isSorted()
self.times.isSorted()
self.ints.sum()
self.reals.sum()
self.spans.sum()
[1u, 2u].sum()
[].sum()
[9223372036854775807, 1].sum()
self.ints.min()
self.ints.max()
self.texts.min()
self.texts.max()
self.reals.max()
self.bools.max()
self.times.min()
self.spans.max()
[b'b', b'a'].min()
[].min()
[].max()
self.texts.indexOf('a')
self.texts.lastIndexOf('a')
self.texts.indexOf('zz')
self.ints.indexOf(2)
[1.0].indexOf(1.1)
self.items.indexOf(self.items[1])
self.ints.slice(0, 2)
self.ints.slice(1, 1)
self.ints.slice(-1, 1)
self.ints.slice(2, 1)
self.ints.slice(0, 9)
self.nested.flatten()
[[1, 2], [3]].flatten()
[1, [2, [3]]].flatten(2)
dyn([1, [2, [3]]]).flatten(1)
dyn([1, [2, [3]]]).flatten(-1)
self.ints.sort()
self.texts.sort()
self.times.sort()
self.bools.sort()
[].sort()
dyn([1, 'a']).sort()
self.items.sortBy(x, x.value)
self.items.sortBy(x, -x.value).map(x, x.key)
self.texts.sortBy(x, size(x))
lists.range(4)
lists.range(0)
lists.range(-3)
self.ints.reverse()
self.texts.distinct()
[1, 1.0, 1u].distinct()
[].distinct()
`, `
sets.contains(self.texts, ['a'])
sets.contains(['a'], self.texts)
sets.contains([], [])
sets.equivalent(self.texts, ['c', 'a', 'b'])
sets.equivalent([1, 2], [1u, 2.0])
sets.intersects(self.texts, ['z', 'c'])
sets.intersects([], [1])
self.set.all(x, x in self.set2)
self.texts.all(i, x, i < 3 || x == 'a')
self.map.exists(k, v, k == 'one' && v == '1')
self.texts.existsOne(i, x, x == 'a')
self.texts.transformList(i, x, string(i) + x)
self.texts.transformList(i, x, i > 1, x)
self.map.transformMap(k, v, k + v)
self.map.transformMap(k, v, v != '1', v)
self.texts.transformMapEntry(i, x, i > 1, {x: i})
self.texts.map(x, x + x)
self.texts.filter(x, x > 'a')
self.map.map(k, k)
self.map.filter(k, self.map[k] == '2')
self.nested.map(x, x.size() > 0, x[0])
`,
	// regular expressions
	`
'abc 123 def 456'.find('[0-9]+')
'abc'.find('[0-9]+')
'abc 123'.find('[0-9]*')
'abc 123 def 456'.findAll('[0-9]+')
'abc 123 def 456'.findAll('[0-9]*')
'abc 123 def 456'.findAll('[0-9]+', 1)
'abc 123 def 456'.findAll('[0-9]+', 0)
'abc 123 def 456'.findAll('[0-9]+', -1)
'aaa'.findAll('')
'é日'.findAll('')
'a-b-c'.findAll('^a|b')
'abab'.findAll('(ab)')
self.s.find(self.t)
self.s.findAll(self.t + '*')
'x'.find(self.t + '(')
'x'.findAll(self.t + '(')
self.s.matches('^h.*d$')
`,
	// URLs
	`
url('https://user:pass@example.com:80/path?k1=a&k2=b&k2=c#fragment').getScheme()
url('https://user:pass@example.com:80/path?k1=a&k2=b&k2=c#fragment').getHost()
url('https://user:pass@example.com:80/path?k1=a&k2=b&k2=c#fragment').getHostname()
url('https://user:pass@example.com:80/path?k1=a&k2=b&k2=c#fragment').getPort()
url('https://user:pass@example.com:80/path?k1=a&k2=b&k2=c#fragment').getEscapedPath()
url('https://user:pass@example.com:80/path?k1=a&k2=b&k2=c#fragment').getQuery()
url('/path').getScheme()
url('/path').getHost()
url('/path').getPort()
url('/path').getQuery()
url('https://[::1]:80/').getHost()
url('https://[::1]:80/').getHostname()
url('https://[fe80::1%25en0]/').getHostname()
url('https://example.com/path with spaces/').getEscapedPath()
url('https://example.com/a%2fb/c').getEscapedPath()
url('https://example.com/a%20b').getEscapedPath()
url('https://example.com').getEscapedPath()
url('https://example.com/path?key with spaces=value+with%20spaces&flag&=x&a=%zz&b=1;c').getQuery()
url('https://example.com/path?').getQuery()
url('HTTPS://Example.com').getScheme()
url('mailto:someone@example.com').getScheme()
url('mailto:someone@example.com').getHost()
url('//example.com/path').getHost()
url('*').getEscapedPath()
url('../relative')
url('https://a:b:c/')
url('')
url(':foo')
url('https://example.com:port/')
url('https://[::1/')
url('https://[1.2.3.4]/')
url('https://[::zz]/')
url('https://exa mple.com/')
url('https://example.com/%zz')
url('https://example.com/\n')
url('http://a b@example.com/')
url('https://ex%41mple.com')
url('1https://example.com')
url('https://example.com/a#%zz')
isURL('https://user:pass@example.com:80/path?query=val#fragment')
isURL('/absolute-path')
isURL('https://a:b:c/')
isURL('../relative-path')
isURL('https://ä.example.com/ü')
isURL('')
url('https://a/') == url('https://a/')
url('https://a/') == url('https://a')
url('https://a/?') == url('https://a/')
url('https://u:p@a/b?c#d') == url('https://u:p@a/b?c#d')
url('/a')
`,
	// quantities
	`
isQuantity('1.3Gi')
isQuantity('1,3G')
isQuantity('200K')
isQuantity('')
isQuantity('1e3')
quantity('Three')
quantity('')
quantity('50k').asInteger()
quantity('50k').isInteger()
quantity('1500m').isInteger()
quantity('1500m').asInteger()
quantity('99999999999999999G').isInteger()
quantity('99999999999999999G').asInteger()
quantity('1.0').isInteger()
quantity('100').asInteger()
quantity('007').asInteger()
quantity('-5k').asInteger()
quantity('5e3').asInteger()
quantity('5E').asInteger()
quantity('5E18').isInteger()
quantity('1e-1').isInteger()
quantity('100Gi').asInteger()
quantity('1000000000Gi').isInteger()
quantity('1000m').asInteger()
quantity('1000000000000000000').asInteger()
quantity('10000000000000000000').isInteger()
quantity('1k').add(quantity('1m')).isInteger()
quantity('0').add(quantity('1.0')).isInteger()
quantity('1.5Gi').asInteger()
quantity('50000000G').asApproximateFloat()
quantity('100m').asApproximateFloat()
quantity('1Ki').asApproximateFloat()
sign(quantity('-5'))
sign(quantity('0'))
sign(quantity('5'))
quantity('50k').sign()
quantity('200M').compareTo(quantity('0.2G'))
quantity('50M').compareTo(quantity('50Mi'))
quantity('50Mi').compareTo(quantity('50M'))
quantity('150Mi').isGreaterThan(quantity('100Mi'))
quantity('50M').isLessThan(quantity('100M'))
quantity('50k').add(quantity('20k')) == quantity('70k')
quantity('70k') == quantity('50k').add(quantity('20k'))
quantity('50k').add(20).asInteger()
quantity('50k').sub(quantity('20k')).asInteger()
quantity('50k').sub(20000) == quantity('30k')
quantity('50k').add(20).sub(quantity('100k')).sub(-50000).asInteger()
quantity('1Ki') == quantity('1024')
quantity('1') != quantity('2')
quantity('9223372036854775807').add(1).isInteger()
quantity('0.5').add(quantity('500m')).asInteger()
`,
	// addresses
	`
isIP('127.0.0.1')
isIP('::1')
isIP('127.0.0.256')
isIP(':::1')
isIP('1.2.3')
isIP('1.2.3.04')
isIP('::ffff:1.2.3.4')
isIP('fe80::1%eth0')
isIP('')
ip('127.0.0.256')
ip('1.2.3')
ip('1.2.3.4.5')
ip('1..2.3')
ip('1.2.3.04')
ip('1.2.3.x')
ip('nothing')
ip('%eth0')
ip(':::1')
ip('1:2:3')
ip('1::2::3')
ip('12345::')
ip('1:2:3:4:5:6:7:8:9')
ip('::g')
ip('1:')
ip('fe80::1%')
ip('::1.2.3')
ip('1:2:3:4:5:6:7:1.2.3.4')
ip('1:2:3:4:5:6:7::8')
ip('::ffff:1.2.3.4')
ip('fe80::1%eth0')
string(ip('2001:DB8:0:0:0:0:0:1'))
string(ip('1:0:0:2:0:0:0:3'))
string(ip('::'))
string(ip('0:0:0:0:1:0:0:0'))
string(ip('::1.2.3.4'))
ip.isCanonical('2001:db8::abcd')
ip.isCanonical('2001:DB8::ABCD')
ip.isCanonical('127.0.0.1')
ip.isCanonical('nothing')
ip('127.0.0.1').family()
ip('::1').family()
ip('0.0.0.0').isUnspecified()
ip('::').isUnspecified()
ip('127.9.9.9').isLoopback()
ip('::1').isLoopback()
ip('224.0.0.1').isLinkLocalMulticast()
ip('224.0.1.1').isLinkLocalMulticast()
ip('ff02::1').isLinkLocalMulticast()
ip('169.254.169.254').isLinkLocalUnicast()
ip('fe80::1').isLinkLocalUnicast()
ip('fd80::1').isLinkLocalUnicast()
ip('192.168.0.1').isGlobalUnicast()
ip('255.255.255.255').isGlobalUnicast()
ip('2001:db8::abcd').isGlobalUnicast()
ip('ff00::1').isGlobalUnicast()
ip('1.2.3.4') == ip('1.2.3.4')
ip('1.2.3.4') == ip('::1')
type(ip('1.2.3.4')) == net.IP
ip(self.s)
`, `
isCIDR('192.168.0.0/16')
isCIDR('192.168.0.0/33')
isCIDR('::1/129')
isCIDR('::ffff:1.2.3.4/24')
cidr('192.168.0.0/33')
cidr('192.168.0.0')
cidr('192.168.0.0/08')
cidr('192.168.0.0/x')
cidr('192.168.0.0/')
cidr('192.168.0.300/8')
cidr('fe80::1%eth0/64')
cidr('::ffff:1.2.3.4/24')
string(cidr('192.168.1.7/16'))
cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))
cidr('192.168.0.0/24').containsIP('192.168.1.1')
cidr('192.168.0.0/24').containsIP('::1')
cidr('192.168.0.0/24').containsIP('nothing')
cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24'))
cidr('192.168.1.0/24').containsCIDR('192.168.2.0/24')
cidr('192.168.1.0/24').containsCIDR('192.168.0.0/16')
cidr('192.168.1.0/24').containsCIDR('nothing')
cidr('::/0').containsCIDR('1.2.3.0/24')
string(cidr('192.168.0.1/24').ip())
cidr('::1/128').ip().family()
string(cidr('192.168.0.1/20').masked())
cidr('192.168.0.0/24') == cidr('192.168.0.0/24').masked()
cidr('192.168.0.1/24') == cidr('192.168.0.1/24').masked()
cidr('192.168.0.0/16').prefixLength()
cidr('2001:db8::/32').containsIP(ip('2001:db8:ffff::1'))
type(cidr('1.2.3.0/24')) == net.CIDR
`,
	// formats and versions
	`
format.dns1123Label().validate('my-label')
format.dns1123Label().validate('My-Label').value()
format.dns1123Label().validate('my-label').hasValue()
format.dns1123Subdomain().validate('a..b').value()
format.dns1035Label().validate('1a').value()
format.qualifiedName().validate('a/b/c').value()
format.dns1123LabelPrefix().validate('abc-').hasValue()
format.dns1123SubdomainPrefix().validate('abc.-').value()
format.dns1035LabelPrefix().validate('-').value()
format.labelValue().validate('-x').value()
format.uri().validate('../x').value()
format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()
format.uuid().validate('nope').value()
format.byte().validate('aGVsbG8=').hasValue()
format.byte().validate('!').value()
format.date().validate('2021-01-01').hasValue()
format.date().validate('2021-13-01').value()
format.datetime().validate('2021-01-01T00:00:00Z').hasValue()
format.datetime().validate('nope').value()
format.named('dns1123Label').value().validate('A').value()
format.named('nope').hasValue()
format.dns1123Label() == format.named('dns1123Label').value()
format.dns1123Label() == format.uuid()
`, `
isSemver('1.0.0')
isSemver('v1.0')
isSemver('v1.0', true)
isSemver('01.01.01', true)
isSemver('1.0.0-alpha.1+build.5')
semver('1.2.3').major()
semver('1.2.3').minor()
semver('1.2.3').patch()
semver('1.2.3').compareTo(semver('1.2.3'))
semver('1.2.3').compareTo(semver('2.0.0'))
semver('1.2.3').compareTo(semver('0.1.2'))
semver('1.0.0-alpha').isLessThan(semver('1.0.0'))
semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))
semver('1.0.0-rc.10').isGreaterThan(semver('1.0.0-rc.9'))
semver('1.0.0-a').compareTo(semver('1.0.0-a.1'))
semver('1.0.0+a') == semver('1.0.0+b')
semver('v1', true).compareTo(semver('1.0.0'))
semver('1.02.3', true).minor()
semver('1.2.003-rc', true).patch()
semver('')
semver('1.2')
semver('a.b.c')
semver('01.2.3')
semver('1.02.3')
semver('1.2.03')
semver('1.2.x')
semver('1.2.3-')
semver('1.2.3-01')
semver('1.2.3-a_b')
semver('1.2.3+')
semver('1.2.3+a_b')
semver('99999999999999999999.0.0')
semver('1.2-rc', true)
semver('..')
`,
	// the types of a schema
	`
self.foo__dash__bar
self.a__dot__b
self.a__slash__b
self.a__underscores__b
self.__namespace__
self.__if__
self.__for__.__in__
self._
self.metadata.name
self.apiVersion
self.kind
self.embedded.metadata.name
self.embedded.kind
self.embedded.spec.x
has(self.embedded.metadata.generateName)
has(self.metadata.generateName)
self.metadata.generateName
self.dateTime
self.dateTime.getFullYear()
self.date
self.date.getDayOfYear()
self.duration
self.duration.getMinutes()
self.bytes
size(self.bytes)
string(self.bytes)
self.either
self.either2
type(self.either)
type(self.either2) == string
self.either + 1
self.either2 + 1
self.e
self.d + self.e
type(self.e)
self.i + self.j
has(self.absent)
self.absent
has(self.nullable)
self.nullable
self.nullables
self.nullables[1] == null
has(self.object.b)
has(self.open.known)
self.open.known
self.open == self.open2
self.open == self.open
self.object == self.object
self.object.any
self.any
self.open.other
self.map['one']
self.map.one
self.map['foo-bar']
self.map['nope']
'one' in self.map
'nope' in self.map
has(self.map.one)
has(self.map.nope)
self.mapOfMap.x.y
self.set == self.set2
self.texts == ['b', 'a', 'c', 'a']
self.texts == ['a', 'a', 'b', 'c']
self.set == ['q', 'p']
['q', 'p'] == self.set
self.items[0]
self.items == self.items2
self.items2 == self.items2
self.items.map(x, x.key)
self.items.filter(x, has(x.list))
self.set + ['q', 'r']
self.set + self.set2
self.texts + self.set
self.items2 + self.items2
self.items[0] in self.items
'a' in self.texts
3 in self.ints
self.ints[0]
self.ints[9]
self.ints[-1]
self.?absent.orValue('none')
self.?s.hasValue()
self.?absent.hasValue()
self.map[?'nope'].orValue('none')
self.ints[?9].orValue(-1)
self.?object.?b.orValue(0)
optional.of(1).value()
optional.none().orValue(2)
self.enum
type(self.map) == map
type(self.texts) == list
type(self.object) == map
self.ints.all(x, x > 0)
self.i > 0 || self.absent == ''
self.absent == '' || self.i > 0
self.i < 0 && self.absent == ''
self.i / 0
self.i % 0
9223372036854775807 + self.i
int('x')
int(self.s)
duration('1h') + self.duration
timestamp('2024-01-01T00:00:00Z') < self.dateTime
`,
}

// Rules as they are, for what they are estimated to cost, and for how they fail.
var plains = []string{
	`
true
false
self.i > 1
self.i == self.j
self.d == self.e
self.s == self.t
self.s != self.t
self.long == self.long
self.long.size() > 1
self.long.startsWith('a')
self.long.contains('ab')
self.long.contains(self.long)
self.long.matches('^[ab]+$')
self.long.matches(self.t)
self.s.matches('^[ab]+$')
self.s < self.t
self.long < self.s
self.enum == 'one'
self.enum in ['one', 'two']
self.texts.all(x, x.size() > 0)
self.texts.all(x, x.startsWith('a'))
self.texts.all(x, self.texts.exists_one(y, y == x))
self.texts.all(x, self.texts.all(y, self.texts.all(z, x == y && y == z)))
self.items.all(x, x.key == self.s)
self.items.all(x, has(x.list) && x.list.all(y, y == x.key))
self.items.all(x, x.list.all(y, y.size() > x.value))
self.map.all(k, k.size() > 0)
self.map.all(k, self.map[k].size() > 0)
self.map.exists(k, v, k == v)
self.mapOfMap.all(k, self.mapOfMap[k].all(l, self.mapOfMap[k][l] > 0))
self.nested.all(x, x.all(y, y != ''))
self.nested.exists(x, x.exists(y, y == self.s))
self.texts.map(x, x + x).join(',').size() < 1000
self.texts.filter(x, x > 'a').size() > 0
self.texts.join(',').matches('x')
self.texts.join('') == self.s
self.s.replace('a', 'bb').size() > 5
self.s.replace(self.t, self.long).size() > 5
self.s.replace('', self.t).matches('a')
self.t.split(',').all(x, x.size() > 0)
self.t.split(',', 3).all(x, x == self.s)
self.t.split(',').map(x, x.trim()).exists(x, x == 'a')
self.s.lowerAscii() == self.s
self.s.trim().substring(1) == self.t.upperAscii()
self.s.find('[0-9]+') == ''
self.long.findAll('[0-9]+').size() > 0
self.long.findAll('[0-9]+').all(x, x == '1')
url(self.s).getHost() == self.t
url(self.long) == url(self.s)
url(self.long).getQuery().size() > 0
isURL(self.long)
quantity(self.s).isGreaterThan(quantity('1'))
quantity(self.s) == quantity(self.t)
isQuantity(self.long)
ip(self.s).family() == 4
isIP(self.long)
ip(self.s) == ip(self.t)
ip.isCanonical(self.s)
cidr(self.s).containsIP(self.t)
cidr(self.s).containsIP(ip(self.t))
cidr(self.s).containsCIDR(self.t)
cidr(self.s).containsCIDR(cidr(self.t))
cidr(self.s).ip().isLoopback()
cidr(self.s).masked().prefixLength() > 1
cidr(self.s) == cidr(self.t)
semver(self.s).isLessThan(semver(self.t))
isSemver(self.long)
isSemver(self.long, true)
semver(self.s) == semver(self.t)
format.dns1123Label().validate(self.long).hasValue()
format.named(self.s).hasValue()
format.uri() == format.uuid()
`, `
self.ints.isSorted()
self.texts.isSorted()
self.ints.sum() > 1
self.texts.max() == 'a'
self.texts.indexOf('a') > 0
self.texts.lastIndexOf(self.s) > 0
self.s.indexOf('a') > 0
self.long.lastIndexOf('a') > 0
self.ints.slice(0, 1).size() > 0
self.ints.slice(0, self.i).size() > 0
self.ints.slice(1, 3).all(x, x > 0)
self.nested.flatten().all(x, x == 'a')
dyn(self.nested).flatten(2).size() > 0
self.ints.sort()[0] > 0
self.texts.sort()[0] == 'a'
self.items.sortBy(x, x.value)[0].key == 'a'
self.items.sortBy(x, x.key).all(x, x.value > 0)
lists.range(10).all(x, x > 0)
lists.range(self.i).all(x, x > 0)
self.texts.reverse() == self.texts
self.texts.distinct().size() == self.texts.size()
sets.contains(self.texts, self.set)
sets.equivalent(self.texts, self.set)
sets.intersects(self.texts, ['a', 'b'])
self.texts + self.set == self.texts
(self.texts + self.set).all(x, x == 'a')
[self.s, self.t].all(x, x == 'a')
[self.s, self.long].exists(x, x.contains('b'))
{'a': self.s, 'b': self.long}.all(k, k == 'a')
{'a': self.s, 'b': self.long}.all(k, v, v.contains('b'))
(self.b ? self.s : self.long).contains('a')
(self.b ? self.texts : self.set).all(x, x == 'a')
self.s + self.t == self.long
(self.s + self.long).matches('a')
string(self.i) == self.s
string(self.bytes) == self.s
bytes(self.s) == self.bytes
self.dateTime == self.date
self.dateTime > timestamp('2024-01-01T00:00:00Z')
self.duration < duration('1h')
self.dateTime - self.date < self.duration
self.either == 5
self.either == self.either2
self.either == dyn('x')
type(self.either) == int ? self.either < 5 : self.either2.size() > 1
has(self.absent)
has(self.object.b) && self.object.b > 0
self.object.a == self.s
self.object == self.object
self.items == self.items2
self.set == self.set2
self.map == self.map
self.?absent.orValue('').size() > 0
self.?object.?a.optMap(x, x + x).orValue('') == self.s
self.texts[0] == self.s
self.items[0].list[0] == self.s
self.map['a'] == self.s
self.map.a == self.s
self.mapOfMap['a']['b'] == 1
self.texts.exists(x, x in self.set)
self.s in self.texts
self.s in self.map
'%s'.format([self.long]).size() > 0
strings.quote(self.long).size() > 0
self.texts.transformList(i, x, x + string(i)).all(x, x.size() > 0)
self.texts.transformMap(i, x, x + x).all(k, k > 0)
self.map.transformMap(k, v, v + k).all(k, k == 'a')
self.texts.all(i, x, x.size() > i)
self.nullable == null
self.nullables.all(x, x == null || x.size() > 0)
dyn(self.s) == dyn(self.t)
dyn(self.texts).all(x, x == 'a')
self.metadata.name == self.s
self.metadata.name.startsWith('a')
self.embedded.metadata.name == self.kind
self.foo__dash__bar == self.a__dot__b
!self.b
self.b && self.i > 1 && self.s == 'a'
self.b || self.i > 1 || self.s == 'a'
-self.i > 1
self.i * 2 + self.j % 3 - 1 > 0
uint(self.i) == 1u
double(self.i) == self.d
size(self.texts) + size(self.map) + size(self.s) > 3
self.texts.size() == 4
self.s.charAt(1) == 'a'
[1, 2, 3].exists(x, x == self.i)
[[1], [2]].all(x, x.all(y, y == self.i))
self.times.all(x, x < self.dateTime)
self.spans.all(x, x < self.duration)
`,
	// what does not compile
	`
nope
self.nope
self.any
self.object.any
self.open.other
self.1digit
self.i + self.s
self.s == 1
self.i
'text'
self.texts.all(x, x)
self.texts.map(x, x)
self.texts.nope()
self.s.matches('(')
self.s.find('(') == ''
self.s.findAll('[').size() == 0
duration('x') == self.duration
timestamp('x') == self.dateTime
'%d'.format(['a']) == ''
'%s %s'.format(['a']) == ''
'%s'.format(['a', 'b']) == ''
'%z'.format(['a']) == ''
'%'.format([]) == ''
'%.x'.format([1]) == ''
'%s'.format([ip('1.2.3.4')]) == ''
'%s'.format([[1, optional.of(2)]]) == ''
'%f'.format([1]) == ''
'%s %d'.format(['a', 1]) == ''
[1, 'a'] == []
{'a': 1, 'b': 'c'} == {}
self..s
self.s ==
self.s === 'a'
self.url() == ''
kubernetes.URL{} == url('a')
self.i > 1 ? true : 1
has(self)
has(self.texts[0])
self.all(x, true)
optional.of(self.s)
self.?s
oldSelf.i == self.i
oldSelf.nope
math.greatest(1, 2) == 2
cel.bind(x, 1, x == 1)
self.s.reverse() == ''
base64.encode(b'a') == ''
ip('1.2.3.4').nope()
1 +
`,
}
