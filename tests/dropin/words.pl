# Hashes, regular expressions, big strings and closures.
use strict;
use warnings;
my $rounds = shift // 3;
my %count;
my $text = '';
for my $i (1 .. 20000) {
  my $word = 'w' . ($i * 7919 % 1009) . ('x' x ($i % 23));
  $text .= $word . ($i % 11 ? ' ' : "\n");
}
for my $round (1 .. $rounds) {
  $count{$_}{$round}++ for split /\s+/, $text;
  (my $changed = $text) =~ s/x+/length($&)/ge;
  my @lines = sort { length($a) <=> length($b) || $a cmp $b } split /\n/, $changed;
  my @adders = map { my $n = $_; sub { $n += shift } } 1 .. 1000;
  my $sum = 0;
  $sum += $_->($round) for @adders;
  print "$round: ", scalar(keys %count), " ", length($changed), " $lines[0] $sum\n";
}
