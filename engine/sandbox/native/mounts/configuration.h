// SPDX-License-Identifier: Apache-2.0
// What is written into a run's own /etc: nothing of the host's.
#pragma once

#include <array>

namespace glovebox::native {

struct ConfigurationFile
{
    const char *path;
    const char *content;
};

inline constexpr std::array configurationFiles{
    ConfigurationFile{"/etc/passwd", "root:x:0:0:root:/root:/usr/sbin/nologin\n"
                                     "sandbox:x:1000:1000:sandbox:/run/home:/bin/sh\n"
                                     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
    ConfigurationFile{"/etc/group", "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n"},
    ConfigurationFile{"/etc/hosts", "127.0.0.1 localhost glovebox\n::1 localhost glovebox\n"},
    ConfigurationFile{"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\nservices: files\n"
                                            "protocols: files\n"},
    ConfigurationFile{"/etc/hostname", "glovebox\n"},
    // Names that programs ask for (services(5), protocols(5)), by the registries of the IANA.
    ConfigurationFile{
        "/etc/services",
        "echo 7/tcp\necho 7/udp\ndiscard 9/tcp\ndiscard 9/udp\ndaytime 13/tcp\ndaytime 13/udp\n"
        "chargen 19/tcp\nchargen 19/udp\nftp-data 20/tcp\nftp 21/tcp\nssh 22/tcp\ntelnet 23/tcp\n"
        "smtp 25/tcp mail\ntime 37/tcp\ntime 37/udp\nwhois 43/tcp nicname\ndomain 53/tcp\ndomain 53/udp\n"
        "bootps 67/udp\nbootpc 68/udp\ntftp 69/udp\ngopher 70/tcp\nfinger 79/tcp\nhttp 80/tcp www\n"
        "kerberos 88/tcp\nkerberos 88/udp\npop3 110/tcp pop-3\nsunrpc 111/tcp portmapper\n"
        "sunrpc 111/udp portmapper\nauth 113/tcp ident\nnntp 119/tcp\nntp 123/udp\n"
        "netbios-ns 137/udp\nnetbios-dgm 138/udp\nnetbios-ssn 139/tcp\nimap2 143/tcp imap\n"
        "snmp 161/udp\nsnmp-trap 162/udp\nirc 194/tcp\nldap 389/tcp\nldap 389/udp\nhttps 443/tcp\n"
        "https 443/udp\nmicrosoft-ds 445/tcp\nsubmissions 465/tcp smtps\nsyslog 514/udp\nprinter 515/tcp\n"
        "submission 587/tcp\nipp 631/tcp\nldaps 636/tcp\ndomain-s 853/tcp\nrsync 873/tcp\nftps 990/tcp\n"
        "imaps 993/tcp\npop3s 995/tcp\nsocks 1080/tcp\nopenvpn 1194/udp\nms-sql-s 1433/tcp\n"
        "mqtt 1883/tcp\nnfs 2049/tcp\nnfs 2049/udp\ngit 9418/tcp\nmysql 3306/tcp\nms-wbt-server 3389/tcp\n"
        "svn 3690/tcp subversion\nsip 5060/tcp\nsip 5060/udp\nxmpp-client 5222/tcp\npostgresql 5432/tcp\n"
        "amqps 5671/tcp\namqp 5672/tcp\nx11 6000/tcp\nredis 6379/tcp\nircd 6667/tcp\n"
        "http-alt 8080/tcp webcache\nmemcached 11211/tcp\n"},
    ConfigurationFile{"/etc/protocols",
                      "ip 0 IP\nicmp 1 ICMP\nigmp 2 IGMP\nipencap 4 IP-ENCAP\ntcp 6 TCP\negp 8 EGP\nudp 17 UDP\n"
                      "ipv6 41 IPv6\nipv6-route 43 IPv6-Route\nipv6-frag 44 IPv6-Frag\ngre 47 GRE\nesp 50 IPSEC-ESP\n"
                      "ah 51 IPSEC-AH\nipv6-icmp 58 IPv6-ICMP\nipv6-nonxt 59 IPv6-NoNxt\nipv6-opts 60 IPv6-Opts\n"
                      "ospf 89 OSPFIGP\npim 103 PIM\nvrrp 112 VRRP\nsctp 132 SCTP\nudplite 136 UDPLite\n"},
};

} // namespace glovebox::native
