#!/usr/bin/env perl
# A whole explainer without any library of ours: each output's one concept is the direction of its
# weights, with their length as its importance. docs/process-plugins.md explains the messages.
#
# /// conoscope
# kind = "explainer"
# id = "weight_direction"
# version = "1.0.0"
# summary = "the head's own weights, from Perl"
# needs = ["head_view"]
# offers = ["explanation"]
# seeded = false
# ///
use strict;
use warnings;

open(my $from_host, '<&=', 3) or die "descriptor 3: $!";
open(my $to_host, '>&=', 4) or die "descriptor 4: $!";
$to_host->autoflush(1);

# ---- messages: fields with tabs between, a line each --------------------------------------------

sub say_to_host {
    my @fields = @_;
    for (@fields) { s/\\/\\\\/g; s/\t/\\t/g; s/\n/\\n/g }
    print $to_host join("\t", @fields), "\n";
}

sub hear {
    my $line = <$from_host>;
    exit 0 unless defined $line;    # the host has gone
    chomp $line;
    my %meant = (t => "\t", n => "\n");
    return map { s/\\(.)/$meant{$1} \/\/ $1/ger } split(/\t/, $line, -1);
}

# ---- arrays: .npy files, row by row ---------------------------------------------------------------

my %letter = ('<f4' => 'f<', '<f8' => 'd<', '<i4' => 'l<', '<i8' => 'q<', '|u1' => 'C');

# The shape and the numbers, in one row.
sub read_array {
    my ($file) = @_;
    open(my $in, '<:raw', $file) or die "$file: $!\n";
    local $/;
    my $bytes = <$in>;
    my $length = unpack('v', substr($bytes, 8, 2));    # format 1.0, which the host writes
    my $header = substr($bytes, 10, $length);
    my ($type) = $header =~ /'descr': '([^']+)'/;
    my ($shape) = $header =~ /'shape': \(([^)]*)\)/;
    my $letter = $letter{$type} or die "$file: cannot read $type\n";
    return ([grep { length } split(/[, ]+/, $shape)], [unpack("($letter)*", substr($bytes, 10 + $length))]);
}

sub write_array {
    my ($file, $type, $shape, @numbers) = @_;
    my $text = join('', map { "$_," } @$shape);
    my $header = "{'descr': '$type', 'fortran_order': False, 'shape': ($text), }";
    $header .= ' ' x (-(11 + length $header) % 64) . "\n";
    open(my $out, '>:raw', $file) or die "$file: $!\n";
    print $out "\x93NUMPY\x01\x00", pack('v', length $header), $header,
        pack("($letter{$type})*", @numbers);
    close($out) or die "$file: $!\n";
}

# ---- the method -----------------------------------------------------------------------------------

my $files = 0;

sub fit {
    my ($exchange, %files) = @_;
    my ($shape, $weight) = read_array("$exchange/$files{head_weight}");
    my ($outputs, $width) = @$shape;
    my (@cavs, @importance);
    for my $output (0 .. $outputs - 1) {
        my @row = @$weight[$output * $width .. ($output + 1) * $width - 1];
        my $squares = 0;
        $squares += $_**2 for @row;
        die "output $output has no weights\n" if $squares == 0;
        push @cavs, map { $_ / sqrt($squares) } @row;
        push @importance, sqrt($squares);
    }
    my $leave = sub {
        my ($name, $type, $shape, @numbers) = @_;
        my $file = 'perl.' . ++$files . '.npy';
        write_array("$exchange/$file", $type, $shape, @numbers);
        say_to_host('array', $name, $file);
    };
    $leave->('cavs', '<f8', [$outputs, $width], @cavs);
    $leave->('importance', '<f8', [$outputs], @importance);
    $leave->('counts', '<i8', [$outputs], (1) x $outputs);
    say_to_host('text', 'scope', 'class_specific');
}

# ---- the conversation -----------------------------------------------------------------------------

say_to_host('hello', 1, 'explainer', 'fit');
while (my ($call, $instance) = hear()) {
    next if $call eq 'destroy';
    my ($exchange, %files);
    while (1) {    # the lines of one call
        my ($word, @rest) = hear();
        last if $word eq 'go';
        $exchange = $rest[0] if $word eq 'exchange';
        $files{$rest[0]} = $rest[1] if $word eq 'array';
    }
    eval { fit($exchange, %files) if $call eq 'fit'; 1 }
        ? say_to_host('ok')
        : say_to_host('fault', 6, $@ =~ s/\n$//r);    # 6: see the table of statuses
}
