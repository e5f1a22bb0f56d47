#!/usr/bin/env perl
# What a compiler does not see in servet.h and servet_mpi.h: contents, version, form, marks, the order of sections,
# names, what must not be called (TAP).  Every check must also find the defects put into copies of the headers.
use strict;
use warnings;
use FindBin '$Bin';
use Test::More;

chdir "$Bin/.." or die "$Bin/..: $!\n";

sub contents {   # the file as one string
    my ($name) = @_;
    local $/;
    open my $in, '<', $name or die "$name: $!\n";
    return <$in>;
}

# Without comments and strings, lines kept.
sub code {
    my ($text) = @_;
    $text =~ s{(/\*.*?\*/|"(?:\\.|[^"\\\n])*")}{$1 =~ tr/\n//cdr}gse;
    return $text;
}

# Sections as [tag, text], of the declarations and of the implementation.
sub sections {
    my ($text, $suffix) = @_;
    my @parts = split m{^/\* >>(\w+)((?: \(implementation\))?) -+ \*/\n}m, $text;
    shift @parts;
    my @found;
    while (my ($tag, $kind, $body) = splice @parts, 0, 3) { push @found, [$tag, $body] if $kind eq $suffix }
    return @found;
}
sub declarations   { return sections($_[0], '') }
sub implementation { return sections($_[0], ' (implementation)') }

# Names of functions after a macro that begins their lines.
sub functions   { my ($macro, $text) = @_; return $text =~ /^$macro\b[^;={}()]*?\b(servet_\w+)\(/mg }
sub declared_in { return functions('SERVET_API', @_) }
sub private_in  { return functions('SERVET(?:_MPI)?__PRIVATE', @_) }
sub defined_in  { return functions('SERVET(?:_MPI)?__(?:DEF|PRIVATE)', @_) }

# What the headers differ in.
my %public  = ('servet.h' => qr/servet_[a-z0-9]\w*/, 'servet_mpi.h' => qr/servet_mpi_[a-z0-9]\w*/);
my %private = ('servet.h' => qr/servet__\w+/, 'servet_mpi.h' => qr/servet_mpi__\w+/);
my %mark    = ('servet.h' => [qw(pure machine)], 'servet_mpi.h' => [qw(pure collective)]);

# Each check takes the text and the file's name, and returns what is wrong with it.
my %check = (
    contents => sub {
        my ($text) = @_;
        my ($table) = $text =~ /^ \* CONTENTS(.*?)^ \*\n/ms or return 'no CONTENTS';
        my @tags = $table =~ /^ \*   >>(\w+)/mg;
        my @wrong = @tags < 2 ? 'CONTENTS is empty' : ();
        for ([declarations => declarations($text)], [implementation => implementation($text)]) {
            my ($part, @sections) = @$_;
            my $banners = join ' ', map { $_->[0] } @sections;
            push @wrong, "$part: banners are $banners, CONTENTS @tags" if $banners ne "@tags";
        }
        my $banners = () = $text =~ m{^/\* >>}mg;
        push @wrong, 'a banner is not of the one form' if $banners != 2 * @tags;
        return @wrong;
    },

    version => sub {
        my ($text, $file) = @_;
        my $own = $file eq 'servet.h' ? $text : contents('servet.h');
        my %is = $own =~ /^#define SERVET_VERSION_(MAJOR|MINOR|PATCH) (\d+)$/mg;
        my ($string) = $own =~ /^#define SERVET_VERSION "(.*)"$/m;
        my ($first) = $text =~ m{\A/\* \Q$file\E - v(\S+) - };
        my $macros = join '.', map { $_ // 'nothing' } @is{qw(MAJOR MINOR PATCH)};
        $_ //= 'nothing' for $string, $first;
        return grep { $_ } $string ne $macros && "SERVET_VERSION is $string, the numbers are $macros",
                           $first ne $macros && "the first line says $first, the numbers are $macros";
    },

    form => sub {
        my @wrong;
        my $line = 0;
        for (split /\n/, $_[0], -1) {
            $line++;
            push @wrong, "line $line has " . length . ' columns' if length > 120;
            push @wrong, "line $line has a tab, or what is not ASCII" if /[^ -~]/;
            push @wrong, "line $line ends in a blank" if / $/;
        }
        return @wrong;
    },

    marks => sub {   # every function has a comment with its name and of which kind it is
        my ($text, $file) = @_;
        my ($kinds, @wrong) = join '|', @{$mark{$file}};
        for (declarations($text)) {
            my ($tag, $body) = @$_;
            while ($body =~ m{((?:/\*(?:[^*]|\*(?!/))*\*/\n)?)((?:^SERVET_API [^;]*;.*\n)+)}mg) {
                my ($comment, $functions) = ($1, $2);
                for my $name (declared_in($functions)) {
                    push @wrong, ">>$tag: $name is none of $kinds" if $comment !~ /\[(?:$kinds)\]/;
                    push @wrong, ">>$tag: the comment above $name does not name it"
                        if !grep { $name eq $_ || /^_/ && $name =~ /$_$/ } $comment =~ /(?<!\w)(servet_\w+|_\w+)/g;
                }
            }
        }
        return @wrong;
    },

    sections => sub {   # what is declared in a section is defined there, and calls only what is above
        my ($text) = @_;
        my %declared = map { my ($tag, $body) = @$_; map { $_ => $tag } declared_in($body) } declarations($text);
        my (%section, %place, @wrong);
        my @sections = implementation($text);
        for my $i (0 .. $#sections) {
            my ($tag, $body) = @{$sections[$i]};
            $section{$_} = $tag for defined_in($body);
            $place{$tag} = $i;
        }
        for my $name (sort keys %declared) {
            my $in = $section{$name} // 'no section';
            push @wrong, "$name is declared in >>$declared{$name} and defined in $in" if $in ne $declared{$name};
        }
        for my $i (0 .. $#sections) {
            my ($tag, $body) = @{$sections[$i]};
            my %used = map { $_ => 1 } code($body) =~ /\b(servet_\w+)\b/g;
            for my $name (sort keys %used) {
                my $in = $section{$name} // next;
                push @wrong, ">>$tag uses $name of >>$in" if $place{$in} > $i;
            }
        }
        return @wrong;
    },

    dead => sub {   # private functions are marked unused for the sake of SERVET_PURE_ONLY: no compiler complains
        my ($text, $file) = @_;
        my $code = code($text);
        my %times;
        $times{$_}++ for $code =~ /\b($private{$file})/g;
        return map { "$_ is never used" } grep { $times{$_} < 2 } private_in($code);
    },

    enumerators => sub {   # a macro of the user's may have any name but ours
        my @wrong;
        my $code = code($_[0]);
        while ($code =~ /\benum\b(?:\s+\w+)?\s*\{([^{}]*)\}/g) {
            (my $body = $1) =~ s/\([^()]*\)//g;
            for (split /,/, $body) {
                push @wrong, "enumerator $1 has a plain name"
                    if /^\s*([A-Za-z_]\w*)\s*(?:=|$)/ && $1 !~ /^(?:SERVET_|servet_)/;
            }
        }
        return @wrong;
    },

    silence => sub {   # the header does not print or exit
        my %seen = map { $_ => 1 } code($_[0]) =~ /\b(v?f?printf|f?puts|putchar|perror|exit|_exit|abort)\s*\(/g;
        return map { "$_ is called" } sort keys %seen;
    },

    hot => sub {   # what is timed is optimised
        return map { /\b(servet_timer_(?:start|stop))\(/ ? "$1 is called in what is not optimised" : () }
            code($_[0]) =~ /^SERVET__ONCE_BEGIN\n(.*?)^SERVET__ONCE_END$/msg;
    },

    names => sub {   # functions, types and macros are of their header; what is private to the other is not used
        my ($text, $file) = @_;
        my $code = code($text);
        (my $prefix = $file) =~ s/\.h$//;
        my $macro = uc $prefix;
        my %shared = map { $_ => 1 } qw(_DEFAULT_SOURCE SERVET_API SERVET_PURE_ONLY OMPI_SKIP_MPICXX
                                        MPICH_SKIP_MPICXX);
        my %times;
        my @wrong = map { "$_ is defined twice" } grep { $times{$_}++ == 1 } defined_in($code);
        push @wrong, map { "function $_" } grep { !/^$public{$file}$/ } declared_in($code);
        push @wrong, map { "private function $_" } grep { !/^$private{$file}$/ } private_in($code);
        push @wrong, map { "type $_" } grep { defined && !/^${prefix}_/ }
            $code =~ /^\}\s*(\w+);|^typedef\b[^{};]*?(\w+);/mg;
        push @wrong, map { "type $_" } grep { !/^${prefix}_/ } $code =~ /^typedef\b.*\}\s*(\w+);/mg;
        push @wrong, map { "macro $_" } grep { !/^${macro}_/ && !$shared{$_} } $code =~ /^#\s*define\s+(\w+)/mg;
        push @wrong, map { "$_ is private to servet.h" } grep { $file ne 'servet.h' && $_ ne 'SERVET__UNUSED' }
            $code =~ /\b(servet__\w+|SERVET__\w+)/g;
        return @wrong;
    },

    guest => sub {   # of MPI the header is a guest, and its only clock is MPI's
        my ($text, $file) = @_;
        my $never = $file eq 'servet.h' ? qr/P?MPI_\w+/ :
            qr/P?MPI_(?:Init|Init_thread|Finalize|Abort|COMM_(?:WORLD|SELF)|ERRORS_(?:ARE_FATAL|ABORT)|Pcontrol)
               |clock|clock_gettime|gettimeofday|timespec_get|times|__rdtscp?|servet_timer_\w+/x;
        my %seen = map { $_ => 1 } code($text) =~ /\b($never)\b/g;
        return map { "$_ is used" } sort keys %seen;
    },
);

# Defects: the check that must find it, what it is, and how it is made.
my $api  = qr/^SERVET_API void servet_stats_sort/m;
my $sort = qr/^SERVET__DEF void servet_stats_sort\(.*\n\{\n/m;
my $idle = "SERVET__PRIVATE void servet__idle(void)\n{\n}\n";
my %defects;
$defects{'servet.h'} = [
    [contents => 'CONTENTS lacks a line'           => sub { s/^ \*   >>chase.*\n//m }],
    [contents => 'CONTENTS is in another order'    => sub { s/^( \*   >>stats.*\n)( \*   >>timer.*\n)/$2$1/m }],
    [contents => 'a section has no banner'         => sub { s{^/\* >>chase -+ \*/\n}{}m }],
    [contents => 'a banner is misspelt'            => sub { s{^/\* >>levels \(impl}{/* >>level (impl}m }],
    [contents => 'a banner is there twice'         => sub { s{^(/\* >>stats -+ \*/\n)}{$1$1}m }],
    [contents => 'a banner is of another form'     => sub { s{^(/\* >>chase \(implementation\)) -+ \*/}{$1 */}m }],
    [version  => 'the string differs'              => sub { s/^(#define SERVET_VERSION ")/${1}9/m }],
    [version  => 'a number differs'                => sub { s/^(#define SERVET_VERSION_PATCH )/${1}9/m }],
    [version  => 'the first line differs'          => sub { s/ - v/ - v9/ }],
    [form     => 'a line is long'                  => sub { s/\n/ ' ' . '-' x 120 . "\n"/e }],
    [form     => 'a line is indented by a tab'     => sub { s/^    /\t/m }],
    [form     => 'a line ends in a blank'          => sub { s/;\n/; \n/ }],
    [marks    => 'a function is not marked'        => sub { s/^(\/\* servet_stats_sort .*)\[pure\]/$1/m }],
    [marks    => 'a function has no comment'       => sub { s/($api)/\n$1/ }],
    [marks    => 'a comment is of another function' => sub { s/^\/\* servet_stats_sort /\/* servet_stats_order /m }],
    [marks    => 'a comment lacks a function'      => sub { s/($api)/SERVET_API int servet_stats_new(void);\n$1/ }],
    [sections => 'a function below is called'      => sub { s/($sort)/$1    servet_fit_levels(0, 0, 0);\n/ }],
    [sections => 'a function below is handed over' => sub { s/($sort)/$1    hand(servet_chase_build);\n/ }],
    [sections => 'a private one below is called'   => sub { s/($sort)/$1    servet__idle();\n/ &&
        s/^(SERVET__DEF int servet_chase_build)/$idle$1/m }],
    [sections => 'a function is in another section' => sub { s/($sort.*?^\}\n)//ms && ($_ .= $1) }],
    [sections => 'a function is not defined'       => sub { s/($api)/${1}ed/ }],
    [dead     => 'a private function is not used'  => sub { s/($sort)/$idle$1/ }],
    [enumerators => 'one has a plain name'         => sub { s/($sort)/$1    enum { TRIES = 3 };\n/ }],
    [enumerators => 'the second has, among others' => sub { s/($sort)/$1    enum { SERVET__A = (1), B };\n/ }],
    [hot      => 'a part that runs once is timed'  => sub { s/^SERVET__ONCE_BEGIN\n/$&servet_timer_start(t);\n/m }],
    [silence  => 'something is printed'            => sub { s/($sort)/$1    printf("");\n/ }],
    [names    => 'a private function is misnamed'  => sub { s/($sort)/$idle$1/ && s/t__idle/t_idle/ }],
    [names    => 'a macro is misnamed'             => sub { s/($sort)/#define TRIES 3\n$1/ }],
    [names    => 'a type is misnamed'              => sub { s/($api)/typedef int tries;\n$1/ }],
    [guest    => 'MPI is called'                   => sub { s/($sort)/$1    MPI_Barrier(0);\n/ }],
];

my $asks  = qr/^SERVET_API int servet_mpi_summary/m;
my $sums  = qr/^SERVET_MPI__DEF int servet_mpi_summary\(.*\n\{\n/m;
my $still = "SERVET_MPI__PRIVATE void servet_mpi__idle(void)\n{\n}\n";
my $layer = qr{^/\* >>layers \(implementation\) -+ \*/\n}m;
$defects{'servet_mpi.h'} = [
    [contents => 'CONTENTS lacks a line'           => sub { s/^ \*   >>layers.*\n//m }],
    [contents => 'CONTENTS is in another order'    => sub { s/^( \*   >>layers.*\n)( \*   >>survey.*\n)/$2$1/m }],
    [contents => 'a section has no banner'         => sub { s{^/\* >>layers -+ \*/\n}{}m }],
    [contents => 'a banner is misspelt'            => sub { s{^/\* >>layers \(impl}{/* >>layer (impl}m }],
    [version  => 'it is not that of servet.h'      => sub { s/ - v/ - v9/ }],
    [version  => 'the first line names another'    => sub { s/servet_mpi/servet/ }],
    [form     => 'a line is indented by a tab'     => sub { s/^    /\t/m }],
    [marks    => 'a function is not marked'        => sub { s/^(\/\* servet_mpi_summary .*)\[pure\]/$1/m }],
    [marks    => 'one has a mark of servet.h'      => sub { s/^(\/\* servet_mpi_\w+ .*)\[pure\]/$1\[machine]/m }],
    [marks    => 'a comment is of another function' => sub { s/^\/\* servet_mpi_summary /\/* servet_mpi_sum /m }],
    [sections => 'a private one below is called'   => sub { s/($sums)/$1    servet_mpi__idle();\n/ &&
        s/($layer)/$1$still/ }],
    [sections => 'a function is not defined'       => sub { s/($asks)/${1}ed/ }],
    [dead     => 'a private function is not used'  => sub { s/($sums)/$still$1/ }],
    [enumerators => 'one has a plain name'         => sub { s/($sums)/$1    enum { TRIES = 3 };\n/ }],
    [silence  => 'something is printed'            => sub { s/($sums)/$1    printf("");\n/ }],
    [names    => 'a private function is misnamed'  => sub { s/($sums)/$still$1/ && s/mpi__idle/_idle/ }],
    [names    => 'a private one is there twice'    => sub { s/($sums)/$still$still$1/ }],
    [names    => 'a public function is misnamed'   => sub { s/($asks)/SERVET_API int servet_sum(void);\n$1/ }],
    [names    => 'a macro is misnamed'             => sub { s/($sums)/#define SERVET_TRIES 3\n$1/ }],
    [names    => 'a type is misnamed'              => sub { s/($asks)/typedef int servet_tries;\n$1/ }],
    [names    => 'a private one of servet.h is called' => sub { s/($sums)/$1    servet__idle();\n/ }],
    (map { my $what = $_; [guest => "$what is used"    => sub { s/($sums)/$1    $what;\n/ }] }
        qw(MPI_Init MPI_Init_thread MPI_Finalize MPI_Abort MPI_COMM_WORLD clock_gettime servet_timer_init)),
];

for my $file (sort keys %defects) {
    my $header = contents($file);
    for my $name (sort keys %check) {
        my @wrong = $check{$name}->($header, $file);
        ok(!@wrong, "$file: $name") or diag join "\n", @wrong;
    }
    for (@{$defects{$file}}) {
        my ($name, $what, $break) = @$_;
        local $_ = $header;
        my $sound = join "\n", $check{$name}->($_, $file);
        ok($break->() && $sound ne join("\n", $check{$name}->($_, $file)), "$file, $name, broken: $what");
    }
}
my @files = glob '*.h Makefile .ci/run tests/*.* tests/*/*.{c,h,sh,bash,xml} tests/mpi/hosts examples/*.*
                 bench/*.{c,h}';
for my $file (grep { -f && !/\.svg$/ && !$defects{$_} } @files) {
    my @wrong = grep { $file ne 'Makefile' || !/tab/ } $check{form}->(contents($file), $file);
    ok(!@wrong, "$file: form") or diag join "\n", @wrong;
}
done_testing;
